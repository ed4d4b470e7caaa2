# Rotates to the right.
function rotate_left!(v::AbstractVector, k::Int)
    isempty(v) && return v
    k = mod(-k, length(v))
    turn!(v, 1, k)
    turn!(v, k + 1, length(v))
    turn!(v, 1, length(v))
    return v
end

# The part of the vector from the one position to the other, turned around.
function turn!(v, from, to)
    while from < to
        v[from], v[to] = v[to], v[from]
        from += 1
        to -= 1
    end
end
