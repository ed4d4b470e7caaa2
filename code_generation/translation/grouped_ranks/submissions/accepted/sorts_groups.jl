# Sorts each group and gives the same rank to each stretch of equal elements.
function grouped_ranks(values, groups)
    n = length(values)
    labels = collect(Iterators.take(Iterators.cycle(groups), n))
    ranks = zeros(n)
    best = Dict{String, Float64}()
    for g in unique(labels)
        here = findall(==(g), labels)
        order = sort(here; by = i -> values[i])
        i = 1
        while i <= length(order)
            j = i
            while j < length(order) && values[order[j+1]] == values[order[i]]
                j += 1
            end
            ranks[order[i:j]] .= (i + j) / 2
            i = j + 1
        end
        best[g] = maximum(ranks[here])
    end
    names = sort!(sort!(collect(keys(best))); by = g -> -best[g], alg = MergeSort)
    left_out = 1:3:n
    return (ranks = ranks, best = [g => best[g] for g in names], rest = ranks[setdiff(1:n, left_out)])
end
