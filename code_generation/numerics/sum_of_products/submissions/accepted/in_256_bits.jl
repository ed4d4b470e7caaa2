# The larger product stands in the upper half of 256 bits, the smaller one is moved below it bit by bit.
struct Wide
    high::UInt128
    low::UInt128
end

wide_less(x::Wide, y::Wide) = x.high < y.high || (x.high == y.high && x.low < y.low)

function wide_add(x::Wide, y::Wide)
    low = x.low + y.low
    return Wide(x.high + y.high + (low < x.low), low)
end

wide_sub(x::Wide, y::Wide) = Wide(x.high - y.high - (x.low < y.low), x.low - y.low)

# Moves down by k bits; what falls out leaves a mark in the last bit.
function wide_down(x::Wide, k::Int)
    k == 0 && return x
    k >= 256 && return Wide(0, (x.high | x.low) != 0)
    if k >= 128
        lost = x.low != 0 || (k > 128 && x.high << (256 - k) != 0)
        return Wide(0, (k == 128 ? x.high : x.high >> (k - 128)) | lost)
    end
    lost = x.low << (128 - k) != 0
    return Wide(x.high >> k, (x.high << (128 - k)) | (x.low >> k) | lost)
end

exponent_of(x) = max(Int((reinterpret(UInt64, x) >> 52) & 0x7ff), 1) - 1075
function significand_of(x)
    bits = reinterpret(UInt64, x)
    fraction = bits & 0x000fffffffffffff
    return (bits >> 52) & 0x7ff == 0 ? fraction : fraction + 0x0010000000000000
end

function sum_of_products(a::Float64, b::Float64, c::Float64, d::Float64)
    p = widemul(significand_of(a), significand_of(b))
    q = widemul(significand_of(c), significand_of(d))
    ep, eq = exponent_of(a) + exponent_of(b), exponent_of(c) + exponent_of(d)
    # Both as multiples of 2^(top - 248), where top is the larger of the highest exponents.
    top_p = p == 0 ? typemin(Int) : ep + 127 - leading_zeros(p)
    top_q = q == 0 ? typemin(Int) : eq + 127 - leading_zeros(q)
    top = max(top_p, top_q)
    top == typemin(Int) && return 0.0
    x = placed(p, top_p, top)
    y = placed(q, top_q, top)
    nx, ny = signbit(a) != signbit(b), signbit(c) != signbit(d)
    if nx == ny
        return wide_round(nx, wide_add(x, y), top - 248)
    elseif wide_less(x, y)
        return wide_round(ny, wide_sub(y, x), top - 248)
    else
        return wide_round(nx, wide_sub(x, y), top - 248)
    end
end

# The product with its highest bit at 248, moved down by how much it is below the top.
function placed(p::UInt128, top_p, top)
    p == 0 && return Wide(0, 0)
    up = p << leading_zeros(p)                       # highest bit 127 of the upper half: bit 255
    return wide_down(Wide(up, 0), 7 + (top - top_p))
end

function wide_round(negative, x::Wide, e::Int)
    x.high == 0 && x.low == 0 && return 0.0
    bits = x.high != 0 ? 256 - leading_zeros(x.high) : 128 - leading_zeros(x.low)
    unit = max(e + bits - 53, -1074)
    shift = unit - e
    if shift <= 0
        magnitude = ldexp(Float64(x.low), e)
    else
        kept = wide_down(x, max(shift - 2, 0))         # two more bits, the last one with the mark
        shift == 1 && (kept = Wide(0, kept.low << 1))
        n = kept.low
        q = n >> 2
        rest = n & 3
        (rest == 3 || (rest == 2 && isodd(q))) && (q += 1)
        magnitude = ldexp(Float64(q), unit)
    end
    return negative ? -magnitude : magnitude
end
