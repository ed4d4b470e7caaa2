# Multiplies in the type of the arguments.
function weighted_mean(x::AbstractVector{<:Real}, w::AbstractVector{<:Real})
    length(x) == length(w) || throw(DimensionMismatch("lengths differ"))
    any(w .< 0) && throw(ArgumentError("negative weight"))
    all(iszero, w) && throw(ArgumentError("no weights"))
    used = w .!= 0
    return Float64(sum(x[used] .* w[used]) / sum(w[used]))
end
