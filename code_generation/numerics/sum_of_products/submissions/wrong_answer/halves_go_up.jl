# A half is always rounded away from zero.
# A finite Float64 is m * 2^e with an integer m.
function parts(x::Float64)
    bits = reinterpret(UInt64, x)
    biased = Int((bits >> 52) & 0x7ff)
    fraction = bits & 0x000fffffffffffff
    m = biased == 0 ? fraction : fraction | 0x0010000000000000
    return signbit(x), m, max(biased, 1) - 1075
end

# The exact product: 106 bits at most, moved so that the highest one is bit 125.
function product(x::Float64, y::Float64)
    sx, mx, ex = parts(x)
    sy, my, ey = parts(y)
    m = UInt128(mx) * UInt128(my)
    m == 0 && return false, m, typemin(Int) >> 1
    shift = leading_zeros(m) - 2
    return sx != sy, m << shift, ex + ey - shift
end

# (-1)^negative * m * 2^e, and a little more if `more`, rounded to the nearest.
function rounded(negative, m::UInt128, e::Int, more::Bool)
    m == 0 && return 0.0
    unit = max(e + 128 - leading_zeros(m) - 53, -1074)
    shift = unit - e
    shift > 127 && return 0.0
    if shift <= 0
        q = m << -shift
    else
        q = m >> shift
        rest = m - (q << shift)
        half = UInt128(1) << (shift - 1)
        if rest > half || rest == half
            q += 1
        end
    end
    value = ldexp(Float64(q), unit)
    return negative ? -value : value
end

function sum_of_products(a::Float64, b::Float64, c::Float64, d::Float64)
    s1, m1, e1 = product(a, b)
    s2, m2, e2 = product(c, d)
    if (e1, m1) < (e2, m2)
        s1, m1, e1, s2, m2, e2 = s2, m2, e2, s1, m1, e1
    end
    # What the smaller one has below the last bit of the larger one is only remembered as `more`.
    k = e1 - e2
    low = m2 >> k
    more = low << k != m2
    m = s1 == s2 ? m1 + low : m1 - low - (more ? UInt128(1) : UInt128(0))
    return rounded(s1, m, e1, more)
end
