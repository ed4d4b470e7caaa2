# Thorough on orders, but takes any exception for the right one, and does not look at the pairs afterwards.
function check_order(order)
    try
        for (n, edges) in ((0, Pair{Int,Int}[]), (3, Pair{Int,Int}[]), (5, [5 => 4, 4 => 3, 3 => 2, 2 => 1]), (8, [8 => 1, 7 => 1, 1 => 2, 1 => 2]))
            result = order(n, copy(edges))
            sort(result) == 1:n && all(e -> indexin(first(e), result)[] < indexin(last(e), result)[], edges) || return false
        end
    catch
        return false
    end
    return all([(1, [1 => 1]), (3, [1 => 2, 2 => 3, 3 => 1])]) do (n, edges)
        try
            order(n, edges)
            false
        catch
            true
        end
    end
end
