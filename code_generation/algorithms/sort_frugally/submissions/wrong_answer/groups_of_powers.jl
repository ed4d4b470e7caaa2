# Groups of 2, 4, 8, ...: one comparison too many now and then.
function sort_frugally(less, items)
    values = collect(items)
    return values[merge_insertion(less, values, collect(1:length(values)))]
end

# The positions in `order`, sorted by their values.
function merge_insertion(less, values, order::Vector{Int})
    n = length(order)
    n < 2 && return order
    # Pairs: each loser belongs to its winner.
    loser = Dict{Int,Int}()
    winners = Int[]
    for i in 1:2:n-1
        a, b = order[i], order[i+1]
        if less(values[b], values[a])
            push!(winners, a)
            loser[a] = b
        else
            push!(winners, b)
            loser[b] = a
        end
    end
    winners = merge_insertion(less, values, winners)
    pending = Int[loser[w] for w in winners]
    isodd(n) && push!(pending, order[n])
    # The first loser is below all winners. The others are put in by groups, each from its end, so that they
    # are looked for among 2^k - 1 at most.
    chain = [pending[1]; winners]
    first, group, power = 2, 2, 4        # the sizes of two successive groups add up to a power of two
    while first <= length(pending)
        for k in min(first + group - 1, length(pending)):-1:first
            last = k <= length(winners) ? findfirst(==(winners[k]), chain) - 1 : length(chain)
            insert!(chain, place(less, values, chain, last, pending[k]), pending[k])
        end
        first, group, power = first + group, 2group, 2power
    end
    return chain
end

# Where an element belongs among the first ones of a chain.
function place(less, values, chain, last, element)
    low, high = 1, last + 1
    while low < high
        middle = (low + high) >>> 1
        if less(values[element], values[chain[middle]])
            high = middle
        else
            low = middle + 1
        end
    end
    return low
end
