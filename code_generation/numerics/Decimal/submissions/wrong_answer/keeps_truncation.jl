# Widens everything, but still rounds and shares with truncating division.
scale(n::Integer) = Int128(10)^n
function parse_decimal(text::AbstractString)
    m = match(r"^([+-]?)([0-9]+)(?:\.([0-9]{1,18}))?\z", text)
    m === nothing && throw(ArgumentError("not a decimal number: $(repr(text))"))
    fraction = m[3] === nothing ? "" : m[3]
    return Decimal(parse(BigInt, m[1] * m[2] * fraction), length(fraction))
end
function Base.string(d::Decimal)
    text = string(abs(Int128(d.digits)))
    d.places == 0 && return (d.digits < 0 ? "-" : "") * text
    text = lpad(text, d.places + 1, '0')
    return (d.digits < 0 ? "-" : "") * text[1:(end - d.places)] * "." * text[(end - d.places + 1):end]
end
at(d, places) = d.digits * scale(places - d.places)
Base.:+(a::Decimal, b::Decimal) = (p = max(a.places, b.places); Decimal(at(a, p) + at(b, p), p))
Base.:-(a::Decimal, b::Decimal) = (p = max(a.places, b.places); Decimal(at(a, p) - at(b, p), p))
Base.:-(a::Decimal) = Decimal(-Int128(a.digits), a.places)
Base.:*(a::Decimal, b::Decimal) = Decimal(half_even(Int128(a.digits) * b.digits, scale(min(a.places, b.places))), max(a.places, b.places))
Base.:(==)(a::Decimal, b::Decimal) = at(a, 18) == at(b, 18)
Base.hash(a::Decimal, h::UInt) = hash(at(a, 18), h)
Base.isless(a::Decimal, b::Decimal) = at(a, 18) < at(b, 18)
