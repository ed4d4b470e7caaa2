# Takes the tangent of the angle from the parts of v along u and across it.
function angle_between(u::AbstractVector{<:Real}, v::AbstractVector{<:Real})
    length(u) == length(v) || throw(DimensionMismatch("lengths differ"))
    unit(x) = (y = Float64.(x) ./ maximum(abs.(Float64.(x))); y ./ sqrt(sum(abs2, y)))
    for x in (u, v)
        all(iszero, x) && throw(ArgumentError("no direction"))
    end
    a, b = unit(u), unit(v)
    along = sum(a .* b)
    across = b .- along .* a
    across = across .- sum(across .* a) .* a
    return atan(sqrt(sum(abs2, across)), along)
end
