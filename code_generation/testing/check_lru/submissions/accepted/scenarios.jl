# A list of scenarios, each written down with its result.
function check_lru(make)
    ok = Bool[]
    expect(x) = push!(ok, x)
    try
        c = make(0)
        expect(c.put(1, 1) === nothing)
        expect(!c.has(1) && c.get(1) === nothing && c.count() == 0 && c.delete(1) === false)
        for capacity in 1:8
            filled() = (c = make(capacity); foreach(k -> c.put(k, 10k), 1:capacity); c)
            c = filled()
            expect(c.count() == capacity && all(k -> c.has(k) === true, 1:capacity) && c.has(99) === false)
            expect(c.get(99) === nothing && c.delete(99) === false)
            # Each key in turn is the oldest, and is then used in one way or the other.
            for victim in 1:capacity
                for action in (:get, :put, :has, :delete)
                    c = filled()
                    for k in 1:capacity
                        k == victim || c.get(k)
                    end
                    action == :get && expect(c.get(victim) == 10victim)
                    action == :put && expect(c.put(victim, "new") === nothing && c.count() == capacity)
                    action == :has && expect(c.has(victim) === true)
                    action == :delete && expect(c.delete(victim) === true && !c.has(victim) && c.count() == capacity - 1)
                    order = action in (:has, :delete) ? [victim; setdiff(1:capacity, victim)] : [setdiff(1:capacity, victim); victim]
                    action == :delete && popfirst!(order)
                    for (i, new) in enumerate(101:(100 + 2capacity))
                        push!(order, new)
                        expect(c.put(new, new) === nothing)
                        length(order) > capacity && popfirst!(order)
                        expect(c.count() == length(order) && all(k -> c.has(k), order))
                        expect(!any(k -> c.has(k), setdiff([1:capacity; 101:new], order)))
                    end
                end
            end
            c = filled()
            c.put(1, "replaced")
            expect(c.get(1) == "replaced")
            c.put(1, "again")
            expect(c.count() == capacity && all(k -> c.has(k), 1:capacity))
        end
        c = make(4)
        c.put(1, "number")
        c.put("1", "text")
        expect(c.count() == 2 && c.get(1) == "number" && c.get("1") == "text" && c.delete("1") && c.has(1))
        d = make(4)
        expect(d.count() == 0 && !d.has(1))
    catch
        return false
    end
    return all(ok)
end
