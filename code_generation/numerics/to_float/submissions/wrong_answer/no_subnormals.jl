# Gives subnormal numbers the full precision, and rounds a second time.
function to_float(T, x::Rational{BigInt}, mode::Symbol)
    mode in (:nearest, :down, :up, :zero) || throw(ArgumentError("no rounding mode: $mode"))
    iszero(x) && return zero(T)
    size, negative = abs(x), x < 0
    away = mode == (negative ? :down : :up)
    # The unit in the last place, as a power of two. Subnormal numbers share the smallest one.
    unit = exponent_of(size) - precision(T) + 1
    count = floor(BigInt, size / power_of_two(unit))
    rest = size / power_of_two(unit) - count
    if away ? rest > 0 : mode == :nearest && (rest > 1//2 || rest == 1//2 && isodd(count))
        count += 1
    end
    if count * power_of_two(unit) > Rational{BigInt}(floatmax(T))
        result = away || mode == :nearest ? T(Inf) : floatmax(T)
    else
        result = ldexp(T(count), unit)
    end
    return negative ? -result : result
end

power_of_two(n) = n >= 0 ? big(2)^n // 1 : 1 // big(2)^-n

# The exponent of the largest power of two that is not above x.
function exponent_of(x)
    e = ndigits(numerator(x), base = 2) - ndigits(denominator(x), base = 2)
    return power_of_two(e) <= x ? e : e - 1
end
