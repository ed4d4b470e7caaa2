# Throws wherever an intermediate result does not fit, though the final one would.
using Base.Checked: checked_mul, checked_add, checked_neg
scale(n::Integer) = Int64(10)^n
function parse_decimal(text::AbstractString)
    m = match(r"^([+-]?)([0-9]+)(?:\.([0-9]{1,18}))?\z", text)
    m === nothing && throw(ArgumentError("not a decimal number: $(repr(text))"))
    fraction = m[3] === nothing ? "" : m[3]
    return Decimal(parse(BigInt, m[1] * m[2] * fraction), length(fraction))
end
function Base.string(d::Decimal)
    d.places == 0 && return string(d.digits)
    whole, part = divrem(abs(Int128(d.digits)), scale(d.places))
    return string(d.digits < 0 ? "-" : "", whole, ".", lpad(part, d.places, "0"))
end
rescale(d::Decimal, places::Integer) =
    places >= d.places ? Decimal(checked_mul(d.digits, scale(places - d.places)), places) :
    Decimal(round(BigInt, big(d.digits) // scale(d.places - places), RoundNearest), places)
Base.:+(a::Decimal, b::Decimal) = ((x, y) = align(a, b); Decimal(checked_add(x.digits, y.digits), x.places))
Base.:-(a::Decimal) = Decimal(checked_neg(a.digits), a.places)
function Base.:*(a::Decimal, b::Decimal)
    places = max(a.places, b.places)
    return Decimal(half_even(checked_mul(a.digits, b.digits), scale(min(a.places, b.places))), places)
end
Base.hash(a::Decimal, h::UInt) = hash(a.digits // scale(a.places), h)
Base.isless(a::Decimal, b::Decimal) = a.digits // scale(a.places) < b.digits // scale(b.places)
