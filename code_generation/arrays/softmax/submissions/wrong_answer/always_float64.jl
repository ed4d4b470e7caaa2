# Returns Float64 whatever the argument.
function softmax(A::AbstractArray{<:Real}; dims = 1)
    X = Float64.(collect(A))
    isempty(X) && return X
    W = exp.(X .- maximum(X; dims = dims))
    return W ./ sum(W; dims = dims)
end
