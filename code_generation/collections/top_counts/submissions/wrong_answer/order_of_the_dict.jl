# Leaves ties in the order of the Dict.
function top_counts(items, k::Integer)
    k >= 0 || throw(ArgumentError("k must not be negative"))
    counts = Dict{eltype(items), Int}()
    for item in items
        counts[item] = get(counts, item, 0) + 1
    end
    ranking = sort(collect(counts); by = last, rev = true)
    return ranking[1:min(k, end)]
end
