# Compares with the script of one implementation, and so rejects others that are right.
function check_diff(diff)
    try
        return diff([1, 2, 3], [2, 3, 4]) == [:delete => 1, :keep => 2, :keep => 3, :insert => 4] &&
               diff([1], [2]) == [:delete => 1, :insert => 2] && diff(Int[], Int[]) == []
    catch
        return false
    end
end
