# The type of an empty result is lost.
function top_counts(items, k::Integer)
    k >= 0 || throw(ArgumentError("k must not be negative"))
    counts = Dict()
    ranking = []
    for item in items
        haskey(counts, item) || push!(ranking, item)
        counts[item] = get(counts, item, 0) + 1
    end
    sort!(ranking; by = item -> -counts[item])
    return [item => counts[item] for item in ranking[1:min(k, end)]]
end
