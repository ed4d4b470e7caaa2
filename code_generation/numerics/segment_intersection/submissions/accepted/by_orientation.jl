# Signs of areas first, coordinates only where there is a crossing.
const Point = Tuple{Rational{BigInt}, Rational{BigInt}}
area(p, q, r) = (q[1] - p[1]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[1] - p[1])
on_segment(p, a, b) = area(a, b, p) == 0 && min(a[1], b[1]) <= p[1] <= max(a[1], b[1]) && min(a[2], b[2]) <= p[2] <= max(a[2], b[2])
rational(p) = (Rational{BigInt}(p[1]), Rational{BigInt}(p[2]))
function segment_intersection(a, b, c, d)
    a, b, c, d = rational(a), rational(b), rational(c), rational(d)
    shared = Point[]
    for (p, s, t) in ((a, c, d), (b, c, d), (c, a, b), (d, a, b))
        on_segment(p, s, t) && !(p in shared) && push!(shared, p)
    end
    sort!(shared)
    length(shared) >= 2 && return (shared[1], shared[end])
    length(shared) == 1 && return shared[1]
    u, v = area(a, b, c), area(a, b, d)
    w, z = area(c, d, a), area(c, d, b)
    (u * v < 0 && w * z < 0) || return nothing
    f = u // (u - v)
    return (c[1] + f * (d[1] - c[1]), c[2] + f * (d[2] - c[2]))
end
