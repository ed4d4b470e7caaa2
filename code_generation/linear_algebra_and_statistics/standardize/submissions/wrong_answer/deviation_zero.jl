# Looks for a deviation of zero, which rounding can miss.
using Statistics
function standardize(A::AbstractMatrix{<:Real}; dims::Integer = 1)
    dims in (1, 2) || throw(ArgumentError("dims"))
    T = float(eltype(A))
    isempty(A) && return zeros(T, size(A))
    s = std(A; dims = dims)
    s = map(x -> iszero(x) || isnan(x) ? one(x) : x, s)
    return Matrix{T}((A .- mean(A; dims = dims)) ./ s)
end
