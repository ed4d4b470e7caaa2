# Counts with a dictionary of first places; kept by first(itr, k).
# Needs: Julia 1.6
function top_counts(items, k::Integer)
    k < 0 && throw(ArgumentError("k must not be negative, got $k"))
    T = eltype(items)
    found = Dict{T, NTuple{2, Int}}()
    for (place, item) in enumerate(items)
        count, first_place = get(found, item, (0, place))
        found[item] = (count + 1, first_place)
    end
    order = sort!(collect(keys(found)); by = item -> (-found[item][1], found[item][2]))
    Pair{T, Int}[item => first(found[item]) for item in first(order, k)]
end
