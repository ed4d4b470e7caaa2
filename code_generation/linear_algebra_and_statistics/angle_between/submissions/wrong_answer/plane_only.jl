# Takes the difference of two directions in the plane, with a sign and without the other dimensions.
function angle_between(u::AbstractVector{<:Real}, v::AbstractVector{<:Real})
    length(u) == length(v) || throw(DimensionMismatch("lengths differ"))
    (all(iszero, u) || all(iszero, v)) && throw(ArgumentError("no direction"))
    return abs(atan(Float64(last(u)), Float64(first(u))) - atan(Float64(last(v)), Float64(first(v))))
end
