# All inputs of up to three small intervals, compared with the numbers and the half numbers that are covered.
function covered(intervals)
    return [any(i -> i[1] <= x <= i[2], intervals) for x in -4:0.5:9]
end

function right_result(merge, v)
    mine = copy(v)
    r = try
        merge(mine)
    catch
        return false
    end
    r isa AbstractVector && r !== mine && mine == v || return false
    all(i -> i isa Tuple && length(i) == 2 && i[1] <= i[2], r) || return false
    return all(k -> r[k][2] < r[k + 1][1], 1:(length(r) - 1)) && covered(r) == covered(v)
end

function check_merge(merge)
    some = [(a, b) for a in (-2, 0, 1, 3) for b in (-2, 0, 2, 3)]
    right_result(merge, Tuple{Int,Int}[]) || return false
    all(a -> right_result(merge, [a]), some) || return false
    all(right_result(merge, [a, b]) for a in some for b in some) || return false
    return all(right_result(merge, v) for v in ([(5, 7), (1, 3), (3, 5)], [(1, 1), (4, 6), (2, 3), (3, 4)], [(8, 8), (0, 0), (4, 4)]))
end
