# Takes floats for the decimals that they print as.
decimal(x) = x isa AbstractFloat ? rationalize(BigInt, x) : Rational{BigInt}(x)
exact((x, y)) = (decimal(x), decimal(y))
minus((x, y), (u, v)) = (x - u, y - v)
cross((x, y), (u, v)) = x * v - y * u

function segment_intersection(a, b, c, d)
    # Tuples are ordered as the points of a segment shall be.
    a, b = minmax(exact(a), exact(b))
    c, d = minmax(exact(c), exact(d))
    ab, cd, ac = minus(b, a), minus(d, c), minus(c, a)
    denominator = cross(ab, cd)
    if !iszero(denominator)
        s, t = cross(ac, cd) / denominator, cross(ac, ab) / denominator
        0 <= s <= 1 && 0 <= t <= 1 || return nothing
        return a .+ s .* ab
    end
    # Parallel, or one of them is a point: there is something only if all are on one line.
    iszero(cross(ac, ab)) && iszero(cross(ac, cd)) || return nothing
    from, to = max(a, c), min(b, d)
    from > to && return nothing
    return from == to ? from : (from, to)
end
