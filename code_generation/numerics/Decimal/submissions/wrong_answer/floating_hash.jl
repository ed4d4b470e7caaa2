# Repairs the arithmetic, but compares and hashes through floating point, as before.
scale(n::Integer) = big(10)^n
function parse_decimal(text::AbstractString)
    m = match(r"^([+-]?)([0-9]+)(?:\.([0-9]{1,18}))?\z", text)
    m === nothing && throw(ArgumentError("not a decimal number: $(repr(text))"))
    fraction = m[3] === nothing ? "" : m[3]
    return Decimal(parse(BigInt, m[1] * m[2] * fraction), length(fraction))
end
function half_even(a::Integer, b::Integer)
    quotient, rest = fldmod(a, b)
    return 2rest > b || (2rest == b && isodd(quotient)) ? quotient + 1 : quotient
end
Base.:+(a::Decimal, b::Decimal) = (p = max(a.places, b.places); Decimal(a.digits * scale(p - a.places) + b.digits * scale(p - b.places), p))
Base.:-(a::Decimal) = Decimal(-big(a.digits), a.places)
Base.:*(a::Decimal, b::Decimal) = Decimal(half_even(big(a.digits) * b.digits, scale(min(a.places, b.places))), max(a.places, b.places))
Base.hash(a::Decimal, h::UInt) = hash(Float64(a.digits / scale(a.places)), h)
Base.isless(a::Decimal, b::Decimal) = Float64(a.digits / scale(a.places)) < Float64(b.digits / scale(b.places))
