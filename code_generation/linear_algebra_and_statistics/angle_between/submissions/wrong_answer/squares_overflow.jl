# Accurate, but multiplies the lengths, which overflow or vanish.
using LinearAlgebra
function angle_between(u::AbstractVector{<:Real}, v::AbstractVector{<:Real})
    length(u) == length(v) || throw(DimensionMismatch("lengths differ"))
    (all(iszero, u) || all(iszero, v)) && throw(ArgumentError("no direction"))
    a, b = Float64.(u), Float64.(v)
    x, y = norm(b) * a, norm(a) * b
    return 2 * atan(norm(x - y), norm(x + y))
end
