# The products outside of the diagonal have the wrong sign.
function inertia(points::AbstractVector{SVector{3,Float64}}, masses::AbstractVector{<:Real})
    length(points) == length(masses) || throw(DimensionMismatch("as many masses as points are needed"))
    total = zero(SMatrix{3,3,Float64})
    for (p, m) in zip(points, masses)
        total += m * ((p' * p) * one(SMatrix{3,3,Float64}) - p * p' .* SMatrix{3,3}(1, -1, -1, -1, 1, -1, -1, -1, 1))
    end
    return total
end
