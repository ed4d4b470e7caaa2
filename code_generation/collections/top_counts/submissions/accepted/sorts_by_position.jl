# Keeps the first position of every item, and sorts by count and position.
function top_counts(items, k::Integer)
    k < 0 && throw(ArgumentError("negative"))
    T = eltype(items)
    seen = Dict{T, Tuple{Int, Int}}()
    for (position, item) in enumerate(items)
        n, at = get(seen, item, (0, position))
        seen[item] = (n + 1, at)
    end
    rows = sort(collect(seen); by = row -> (-row[2][1], row[2][2]))
    out = Vector{Pair{T, Int}}()
    for (item, (n, _)) in rows
        length(out) < k || break
        push!(out, Pair{T, Int}(item, n))
    end
    return out
end
