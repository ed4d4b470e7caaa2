# Lets vectors without a direction through.
using LinearAlgebra
function angle_between(u::AbstractVector{<:Real}, v::AbstractVector{<:Real})
    length(u) == length(v) || throw(DimensionMismatch("lengths differ"))
    a, b = Float64.(u), Float64.(v)
    a, b = a ./ norm(a), b ./ norm(b)
    return 2 * atan(norm(a - b), norm(a + b))
end
