# Multiplies by the weight of zero, which leaves NaN as it is.
using LinearAlgebra
function weighted_mean(x::AbstractVector{<:Real}, w::AbstractVector{<:Real})
    length(x) == length(w) || throw(DimensionMismatch("lengths differ"))
    any(w .< 0) && throw(ArgumentError("negative weight"))
    total = sum(Float64.(w))
    total == 0 && throw(ArgumentError("no weights"))
    return dot(Float64.(x), Float64.(w)) / total
end
