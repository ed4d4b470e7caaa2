# Rounds to Float64 first.
function to_float(T, x::Rational{BigInt}, mode::Symbol)
    mode in (:nearest, :down, :up, :zero) || throw(ArgumentError("no rounding mode: $mode"))
    y = Float64(x)
    mode == :nearest && return T(y)
    t = T(y)
    down = mode == :down || mode == :zero && x > 0
    r = Rational{BigInt}
    isinf(t) && return down == (t > 0) ? (t > 0 ? floatmax(T) : t) : (t > 0 ? t : -floatmax(T))
    r(t) == x && return t
    return down ? (r(t) > x ? prevfloat(t) : t) : (r(t) < x ? nextfloat(t) : t)
end
