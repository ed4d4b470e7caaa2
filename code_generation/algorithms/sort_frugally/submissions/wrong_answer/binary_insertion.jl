# Binary insertion: few comparisons, but not the fewest.
function sort_frugally(less, items)
    sorted = similar(collect(items), 0)
    for x in items
        low, high = 1, length(sorted) + 1
        while low < high
            middle = (low + high) >>> 1
            less(x, sorted[middle]) ? (high = middle) : (low = middle + 1)
        end
        insert!(sorted, low, x)
    end
    return sorted
end
