# Adds up ordinary matrices.
function inertia(points::AbstractVector{SVector{3,Float64}}, masses::AbstractVector{<:Real})
    length(points) == length(masses) || throw(DimensionMismatch("lengths"))
    total = zeros(3, 3)
    for (p, m) in zip(points, masses)
        v = collect(p)
        total += m * (sum(abs2, v) * [1 0 0; 0 1 0; 0 0 1] - v * v')
    end
    return SMatrix{3,3,Float64}(total)
end
