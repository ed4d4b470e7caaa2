# One short script: the usual situations, but few of the special ones.
function check_lru(make)
    try
        c = make(2)
        c.put(1, "a")
        c.put(2, "b")
        c.get(1) == "a" || return false
        c.put(3, "c")
        return !c.has(2) && c.has(1) && c.has(3) && c.count() == 2 && c.delete(1) && !c.has(1) && c.get(9) === nothing
    catch
        return false
    end
end
