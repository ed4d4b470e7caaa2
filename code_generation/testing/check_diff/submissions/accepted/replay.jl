# Replays the script with two positions; the least number of changes comes from a search by breadth.
function replay(script, old, new)
    i, j, changes = 1, 1, 0
    for (kind, x) in script
        if kind === :keep
            isequal(old[i], x) && isequal(new[j], x) || return -1
            i, j = i + 1, j + 1
        elseif kind === :delete
            isequal(old[i], x) || return -1
            i, changes = i + 1, changes + 1
        elseif kind === :insert
            isequal(new[j], x) || return -1
            j, changes = j + 1, changes + 1
        else
            return -1
        end
    end
    return i > length(old) && j > length(new) ? changes : -1
end

function least(old, new)
    reached, steps = Set([(1, 1)]), 0
    while true
        # Everything that can be kept from here on costs nothing.
        for (i, j) in collect(reached)
            while i <= length(old) && j <= length(new) && old[i] == new[j]
                i, j = i + 1, j + 1
                push!(reached, (i, j))
            end
        end
        (length(old) + 1, length(new) + 1) in reached && return steps
        reached = Set(p for (i, j) in reached for p in ((i + 1, j), (i, j + 1)) if p[1] <= length(old) + 1 && p[2] <= length(new) + 1)
        steps += 1
    end
end

function check_diff(diff)
    r = 3
    draw(k) = (r = r * 16807 % 2147483647; 1 + r % k)
    vectors(n, m, k) = ([draw(k) for _ in 1:n], [draw(k) for _ in 1:m])
    cases = Any[vectors(n, m, k) for n in 0:8 for m in 0:8 for k in (2, 4)]
    append!(cases, [(string.(a), string.(b)) for (a, b) in cases[1:7:end]])
    push!(cases, (["a", "b"], ["c", "b"]), (collect(1:8), collect(1:8)), (collect(1:8), [1, 2, 9, 4, 5, 6, 7, 8]), (["a", "bb"], ["b", "bb"]))
    for (old, new) in cases
        a, b = copy(old), copy(new)
        ok = try
            replay(diff(a, b), old, new) == least(old, new)
        catch
            false
        end
        ok && a == old && b == new || return false
    end
    return true
end
