# Thorough, but an implementation that throws ends the whole program, and has is taken for a use.
function check_lru(make)
    c = make(2)
    c.put(1, "a")
    c.put(2, "b")
    c.has(1)
    c.put(3, "c")
    return c.has(1) && !c.has(2)
end
