# Pairs up what there is, without a check of the lengths.
function weighted_mean(x::AbstractVector{<:Real}, w::AbstractVector{<:Real})
    any(w .< 0) && throw(ArgumentError("negative weight"))
    pairs = [(Float64(a), Float64(b)) for (a, b) in zip(x, w) if b > 0]
    isempty(pairs) && throw(ArgumentError("no weights"))
    return sum(a * b for (a, b) in pairs) / sum(b for (a, b) in pairs)
end
