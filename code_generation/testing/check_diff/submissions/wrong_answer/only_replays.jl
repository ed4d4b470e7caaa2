# Replays the scripts, but does not ask whether they are as short as possible.
function check_diff(diff)
    for (old, new) in (([1, 2, 3], [2, 3, 4]), (Int[], [1]), ([1], Int[]), (Int[], Int[]), ([1, 1, 2], [2, 1, 1]))
        try
            script = diff(copy(old), copy(new))
            [x for (s, x) in script if s in (:keep, :delete)] == old || return false
            [x for (s, x) in script if s in (:keep, :insert)] == new || return false
        catch
            return false
        end
    end
    return true
end
