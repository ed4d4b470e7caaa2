# Works with big integers and rationals throughout, and leaves the smaller functions to the larger ones.
value(d::Decimal) = big(d.digits) // big(10)^d.places
from_value(r::Rational, places) = Decimal(round(BigInt, r * big(10)^places, RoundNearest), places)

scale(n::Integer) = big(10)^n

function parse_decimal(text::AbstractString)
    occursin(r"\A[+-]?[0-9]+(\.[0-9]{1,18})?\z", text) || throw(ArgumentError("not a decimal number"))
    point = findfirst(isequal('.'), text)
    places = point === nothing ? 0 : length(text) - point
    return Decimal(parse(BigInt, replace(text, "." => "")), places)
end

function Base.string(d::Decimal)
    text = lpad(string(abs(big(d.digits))), d.places + 1, '0')
    d.places > 0 && (text = text[1:(end - d.places)] * "." * text[(end - d.places + 1):end])
    return d.digits < 0 ? "-" * text : text
end

rescale(d::Decimal, places::Integer) =
    0 <= places <= 18 ? from_value(value(d), places) : throw(ArgumentError("places"))

Base.:+(a::Decimal, b::Decimal) = from_value(value(a) + value(b), max(a.places, b.places))
Base.:-(a::Decimal) = from_value(-value(a), a.places)
Base.:-(a::Decimal, b::Decimal) = from_value(value(a) - value(b), max(a.places, b.places))
Base.:*(a::Decimal, b::Decimal) = from_value(value(a) * value(b), max(a.places, b.places))
Base.:(==)(a::Decimal, b::Decimal) = value(a) == value(b)
Base.hash(a::Decimal, h::UInt) = hash(value(a), h)
Base.isless(a::Decimal, b::Decimal) = value(a) < value(b)

function share(d::Decimal, n::Integer)
    n < 1 && throw(ArgumentError("n must be positive"))
    left = big(d.digits)
    return map(n:-1:1) do parts
        mine = cld(left, parts)
        left -= mine
        Decimal(mine, d.places)
    end
end

function total(amounts)
    list = collect(amounts)
    isempty(list) && return Decimal(0, 0)
    return from_value(sum(value, list), maximum(d.places for d in list))
end
