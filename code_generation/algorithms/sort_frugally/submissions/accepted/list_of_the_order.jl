# With an explicit list of the order of insertion, and a chain of named tuples that know their partners.
# 1, 3, 2, 5, 4, 11, 10, ..., 6, 21, ..., 12, ... as far as n.
function insertion_order(n)
    order, before, bound = Int[], 0, 1
    while before < n
        append!(order, min(bound, n):-1:(before + 1))
        before, bound = bound, bound + 2before
    end
    return order
end

function sort_frugally(less, items)
    elements = [(value = x, number = i) for (i, x) in enumerate(items)]
    sorted = sorted_numbers((i, j) -> less(elements[i].value, elements[j].value), [e.number for e in elements])
    values = collect(items isa Union{AbstractArray,Tuple} ? items : (e.value for e in elements))
    return values[sorted]
end

function sorted_numbers(less, numbers)
    length(numbers) <= 1 && return numbers
    half = length(numbers) ÷ 2
    partner = Dict{Int,Int}()
    upper = map(1:half) do i
        a, b = numbers[i], numbers[half+i]
        big, small = less(a, b) ? (b, a) : (a, b)
        partner[big] = small
        return big
    end
    upper = sorted_numbers(less, upper)
    lower = [partner[u] for u in upper]
    isodd(length(numbers)) && push!(lower, numbers[end])
    chain = copy(upper)
    for k in insertion_order(length(lower))
        if k == 1
            pushfirst!(chain, lower[1])
        else
            room = k <= half ? findfirst(==(upper[k]), chain) - 1 : length(chain)
            at = 1 + bisect(i -> less(lower[k], chain[i]), room)
            insert!(chain, at, lower[k])
        end
    end
    return chain
end

# How many of 1:n come before the first for which the condition holds.
function bisect(condition, n)
    low, high = 0, n
    while low < high
        middle = (low + high + 1) ÷ 2
        condition(middle) ? (high = middle - 1) : (low = middle)
    end
    return low
end
