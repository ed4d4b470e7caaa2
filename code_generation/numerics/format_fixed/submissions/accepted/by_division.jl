# Divides integers and decides by the remainder.
function format_fixed(x::Real, digits::Integer)
    (digits < 0 || !isfinite(x)) && throw(ArgumentError("cannot format $x with $digits digits"))
    r = Rational{BigInt}(x)
    q, rest = divrem(abs(numerator(r)) * big(10)^digits, denominator(r))
    twice = 2 * rest
    if twice > denominator(r) || twice == denominator(r) && isodd(q)
        q += 1
    end
    whole, fraction = divrem(q, big(10)^digits)
    text = (x < 0 || x === -0.0 ? "-" : "") * string(whole)
    return digits == 0 ? text : text * "." * lpad(string(fraction), digits, '0')
end
