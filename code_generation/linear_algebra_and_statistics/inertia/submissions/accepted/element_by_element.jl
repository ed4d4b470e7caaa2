# The six different elements by themselves.
function inertia(points::AbstractVector{SVector{3,Float64}}, masses::AbstractVector{<:Real})
    length(points) == length(masses) || throw(DimensionMismatch("$(length(points)) points and $(length(masses)) masses"))
    xx = yy = zz = xy = xz = yz = 0.0
    for i in eachindex(points, masses)
        x, y, z = points[i]
        m = masses[i]
        xx += m * (y^2 + z^2)
        yy += m * (x^2 + z^2)
        zz += m * (x^2 + y^2)
        xy -= m * x * y
        xz -= m * x * z
        yz -= m * y * z
    end
    return SMatrix{3,3,Float64}(xx, xy, xz, xy, yy, yz, xz, yz, zz)
end
