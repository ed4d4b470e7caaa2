# Rounds the float to digits and prints it.
using Printf
function format_fixed(x::Real, digits::Integer)
    digits >= 0 || throw(ArgumentError("digits"))
    isfinite(x) || throw(ArgumentError("x"))
    text = string(round(float(x); digits = digits))
    digits == 0 && return String(split(text, '.')[1])
    whole, fraction = split(text, '.')
    return whole * "." * rpad(fraction, digits, '0')
end
