# Keyword arguments by their names alone.
# Needs: Julia 1.6
function softmax(A::AbstractArray{<:Real}; dims = 1)
    T = float(eltype(A))
    isempty(A) && return Array{T}(undef, size(A))
    X = convert(Array{T}, collect(A))
    exponentials = exp.(X .- maximum(X; dims))
    exponentials ./ sum(exponentials; dims, init = zero(T))
end
