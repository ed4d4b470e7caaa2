# Sorts upwards and reverses, so ties come last first.
function top_counts(items, k::Integer)
    k >= 0 || throw(ArgumentError("k must not be negative, got $k"))
    T = eltype(items)
    counts = Dict{T, Int}()
    ranking = T[]
    for item in items
        haskey(counts, item) || push!(ranking, item)
        counts[item] = get(counts, item, 0) + 1
    end
    reverse!(sort!(ranking; by = item -> counts[item], alg = MergeSort))
    return Pair{T, Int}[item => counts[item] for item in ranking[1:min(k, end)]]
end
