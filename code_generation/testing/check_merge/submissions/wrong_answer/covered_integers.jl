# Compares the integers that are covered, which cannot tell (1, 2), (3, 4) from (1, 4).
function check_merge(merge)
    integers(v) = [x for x in -5:10 if any(i -> i[1] <= x <= i[2], v)]
    for v in ([(1, 2), (3, 4)], [(1, 2), (2, 3)], [(1, 8), (2, 3)], [(3, 1)], Tuple{Int,Int}[], [(5, 7), (1, 3), (3, 5)], [(0, 0), (-3, -1)])
        before = copy(v)
        try
            integers(merge(v)) == integers(before) && v == before || return false
        catch
            return false
        end
    end
    return true
end
