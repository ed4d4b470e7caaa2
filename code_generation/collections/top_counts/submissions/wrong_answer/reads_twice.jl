# Goes through the items once for the unique ones and once more for each count.
function top_counts(items, k::Integer)
    k >= 0 || throw(ArgumentError("k must not be negative"))
    T = eltype(items)
    pairs = Pair{T, Int}[item => count(isequal(item), items) for item in unique(items)]
    sort!(pairs; by = last, rev = true, alg = MergeSort)
    return pairs[1:min(k, end)]
end
