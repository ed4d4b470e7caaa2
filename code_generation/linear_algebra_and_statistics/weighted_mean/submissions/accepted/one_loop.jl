# Adds up in one loop.
function weighted_mean(x::AbstractVector{<:Real}, w::AbstractVector{<:Real})
    length(x) == length(w) || throw(DimensionMismatch("lengths differ"))
    top, bottom = 0.0, 0.0
    for (value, weight) in zip(x, w)
        weight < 0 && throw(ArgumentError("negative weight"))
        weight == 0 && continue
        top += Float64(weight) * Float64(value)
        bottom += Float64(weight)
    end
    bottom == 0 && throw(ArgumentError("no weights"))
    return top / bottom
end
