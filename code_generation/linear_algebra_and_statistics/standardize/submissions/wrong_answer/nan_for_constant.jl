# Divides by zero for equal elements.
using Statistics
function standardize(A::AbstractMatrix{<:Real}; dims::Integer = 1)
    dims in (1, 2) || throw(ArgumentError("dims"))
    T = float(eltype(A))
    isempty(A) && return zeros(T, size(A))
    return Matrix{T}((A .- mean(A; dims = dims)) ./ std(A; dims = dims))
end
