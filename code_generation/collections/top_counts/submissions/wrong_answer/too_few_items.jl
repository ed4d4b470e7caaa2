# Fails if there are fewer than k different items.
function top_counts(items, k::Integer)
    k >= 0 || throw(ArgumentError("k must not be negative, got $k"))
    T = eltype(items)
    counts = Dict{T, Int}()
    ranking = T[]
    for item in items
        haskey(counts, item) || push!(ranking, item)
        counts[item] = get(counts, item, 0) + 1
    end
    sort!(ranking; by = item -> counts[item], rev = true, alg = MergeSort)
    return Pair{T, Int}[item => counts[item] for item in ranking[1:k]]
end
