# The arc cosine, clamped to its domain: small angles come out as zero.
using LinearAlgebra
function angle_between(u::AbstractVector{<:Real}, v::AbstractVector{<:Real})
    length(u) == length(v) || throw(DimensionMismatch("lengths differ"))
    (all(iszero, u) || all(iszero, v)) && throw(ArgumentError("no direction"))
    a, b = normalize(Float64.(u)), normalize(Float64.(v))
    return acos(clamp(dot(a, b), -1.0, 1.0))
end
