# Starts with the first point.
function inertia(points::AbstractVector{SVector{3,Float64}}, masses::AbstractVector{<:Real})
    length(points) == length(masses) || throw(DimensionMismatch("as many masses as points are needed"))
    return sum(m * ((p' * p) * one(SMatrix{3,3,Float64}) - p * p') for (p, m) in zip(points, masses))
end
