# Moves each element once, cycle by cycle.
function rotate_left!(v::AbstractVector, k::Int)
    n = length(v)
    n == 0 && return v
    k = mod(k, n)
    k == 0 && return v
    for start in 1:gcd(n, k)
        held = v[start]
        i = start
        while true
            next = i + k
            next > n && (next -= n)
            next == start && break
            v[i] = v[next]
            i = next
        end
        v[i] = held
    end
    return v
end
