# Compares with the results of one implementation, and so rejects other right orders.
function check_order(order)
    try
        return order(3, [3 => 1]) == [2, 3, 1] && order(0, Pair{Int,Int}[]) == [] && order(2, [2 => 1]) == [2, 1]
    catch
        return false
    end
end
