# Subtracts in the type of the argument, which wraps around.
function softmax(A::AbstractArray{<:Real}; dims = 1)
    isempty(A) && return zeros(float(eltype(A)), size(A))
    W = exp.(A .- maximum(A; dims = dims))
    return W ./ sum(W; dims = dims)
end
