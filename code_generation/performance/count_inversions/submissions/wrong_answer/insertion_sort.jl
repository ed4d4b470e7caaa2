# Insertion sort, which is as slow as before for data far from sorted.
function count_inversions(xs::AbstractVector)
    sorted = similar(xs, 0)
    count = 0
    for x in xs
        k = length(sorted)
        while k > 0 && isless(x, sorted[k])
            k -= 1
        end
        count += length(sorted) - k
        insert!(sorted, k + 1, x)
    end
    return count
end
