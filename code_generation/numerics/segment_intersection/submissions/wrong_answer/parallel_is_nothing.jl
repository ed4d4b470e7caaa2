# Parallel segments never meet.
exact((x, y)) = (Rational{BigInt}(x), Rational{BigInt}(y))
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
    return nothing
end
