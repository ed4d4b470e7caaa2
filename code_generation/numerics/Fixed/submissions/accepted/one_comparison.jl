# Quotients by Base's own division with a rounding mode, and one function that compares.
struct Fixed{D} <: Real
    raw::Int64
    global from_raw(::Val{D}, n::Integer) where {D} = new{D}(fitting(n))
end

fitting(n::Int64) = n
fitting(n::Integer) = typemin(Int64) <= n <= typemax(Int64) ? Int64(n) : throw(OverflowError("too many digits"))
ten(::Val{D}) where {D} = Int64(10)^D

function Fixed{D}(x::Real) where {D}
    x isa AbstractFloat && !isfinite(x) && throw(ArgumentError("$x is no decimal number"))
    r = x isa Fixed ? ratio(x) : Rational{BigInt}(x)
    return from_raw(Val(D), rounded_quotient(big(numerator(r)) * ten(Val(D)), big(denominator(r))))
end
Fixed{D}(x::Fixed{D}) where {D} = x

# To the nearest, halves to even.
function rounded_quotient(n::T, d::T) where {T<:Integer}
    q = fld(n, d)
    doubled = 2 * (n - q * d)
    (d > 0 ? doubled < d : doubled > d) && return q
    doubled == d && return iseven(q) ? q : q + one(T)
    return q + one(T)
end

ratio(x::Fixed{D}) where {D} = x.raw // ten(Val(D))

Base.promote_rule(::Type{Fixed{D}}, ::Type{T}) where {D,T<:Integer} = Fixed{D}
Base.promote_rule(::Type{Fixed{D}}, ::Type{Bool}) where {D} = Fixed{D}
Base.promote_rule(::Type{Fixed{D}}, ::Type{Fixed{E}}) where {D,E} = D > E ? Fixed{D} : Fixed{E}
Base.promote_rule(::Type{Fixed{D}}, ::Type{T}) where {D,T<:AbstractFloat} = T
Base.promote_rule(::Type{Fixed{D}}, ::Type{Rational{T}}) where {D,T<:Integer} = Rational{promote_type(T, Int64)}

for T in (:Float16, :Float32, :Float64, :BigFloat, :Bool, :BigInt)
    @eval Base.$T(x::Fixed) = $T(Rational{BigInt}(ratio(x)))
end
(::Type{T})(x::Fixed) where {T<:Integer} = T(ratio(x))
Base.Rational(x::Fixed) = ratio(x)
Base.Rational{T}(x::Fixed) where {T<:Integer} = Rational{T}(ratio(x))
Base.float(x::Fixed) = Float64(x)

Base.:+(a::Fixed{D}, b::Fixed{D}) where {D} = from_raw(Val(D), Int128(a.raw) + b.raw)
Base.:-(a::Fixed{D}, b::Fixed{D}) where {D} = from_raw(Val(D), Int128(a.raw) - b.raw)
Base.:-(a::Fixed{D}) where {D} = from_raw(Val(D), -Int128(a.raw))
Base.:*(a::Fixed{D}, b::Fixed{D}) where {D} = from_raw(Val(D), rounded_quotient(Int128(a.raw) * b.raw, Int128(ten(Val(D)))))
function Base.:/(a::Fixed{D}, b::Fixed{D}) where {D}
    b.raw == 0 && throw(DivideError())
    return from_raw(Val(D), rounded_quotient(flipsign(Int128(a.raw) * ten(Val(D)), b.raw), abs(Int128(b.raw))))
end
Base.abs(a::Fixed) = a.raw < 0 ? -a : a
Base.signbit(a::Fixed) = signbit(a.raw)
Base.sign(a::Fixed{D}) where {D} = from_raw(Val(D), sign(a.raw) * ten(Val(D)))
for f in (:div, :fld, :cld)
    @eval Base.$f(a::Fixed{D}, b::Fixed{D}) where {D} = $f(a.raw, b.raw)
end
Base.rem(a::Fixed{D}, b::Fixed{D}) where {D} = from_raw(Val(D), rem(a.raw, b.raw))
Base.mod(a::Fixed{D}, b::Fixed{D}) where {D} = from_raw(Val(D), mod(a.raw, b.raw))

# Exact values: -1, 0, 1, or nothing for a NaN.
compare(a::Fixed{D}, b::Fixed{D}) where {D} = cmp(a.raw, b.raw)
compare(a::Fixed, b::Fixed) = cmp(Rational{BigInt}(ratio(a)), Rational{BigInt}(ratio(b)))
compare(a::Fixed, b::AbstractFloat) = isnan(b) ? nothing : isinf(b) ? (b > 0 ? -1 : 1) : cmp(Rational{BigInt}(ratio(a)), Rational{BigInt}(b))
compare(a::Fixed, b::Union{Integer,Rational}) = cmp(Rational{BigInt}(ratio(a)), Rational{BigInt}(b))

for (f, good) in ((:(==), (0,)), (:<, (-1,)), (:<=, (-1, 0)))
    flipped = map(-, good)
    @eval Base.$f(a::Fixed, b::Fixed) = compare(a, b) in $good
    for T in (:Integer, :Rational, :AbstractFloat, :BigInt, :BigFloat)
        @eval Base.$f(a::Fixed, b::$T) = compare(a, b) in $good
        @eval Base.$f(b::$T, a::Fixed) = compare(a, b) in $flipped
    end
end
Base.isless(a::Fixed, b::Fixed) = a < b
Base.isless(a::Fixed, b::Real) = a < b
Base.isless(a::Real, b::Fixed) = a < b
Base.isless(a::Fixed, b::AbstractFloat) = isnan(b) || a < b
Base.isless(a::AbstractFloat, b::Fixed) = a < b
Base.hash(a::Fixed, h::UInt) = hash(ratio(a), h)

Base.isinteger(a::Fixed) = denominator(ratio(a)) == 1
Base.isfinite(::Fixed) = true
Base.typemax(::Type{Fixed{D}}) where {D} = from_raw(Val(D), typemax(Int64))
Base.typemin(::Type{Fixed{D}}) where {D} = from_raw(Val(D), typemin(Int64))

whole(a::Fixed, ::RoundingMode{:Down}) = fld(a.raw, ten_of(a))
whole(a::Fixed, ::RoundingMode{:Up}) = cld(a.raw, ten_of(a))
whole(a::Fixed, ::RoundingMode{:ToZero}) = div(a.raw, ten_of(a))
whole(a::Fixed, ::RoundingMode{:Nearest}) = rounded_quotient(Int128(a.raw), Int128(ten_of(a)))
ten_of(::Fixed{D}) where {D} = ten(Val(D))
Base.round(a::Fixed{D}, mode::RoundingMode = RoundNearest) where {D} = from_raw(Val(D), Int128(whole(a, mode)) * ten(Val(D)))
Base.round(::Type{T}, a::Fixed, mode::RoundingMode = RoundNearest) where {T<:Integer} = T(whole(a, mode))
Base.floor(a::Fixed) = round(a, RoundDown)
Base.ceil(a::Fixed) = round(a, RoundUp)
Base.trunc(a::Fixed) = round(a, RoundToZero)
Base.floor(::Type{T}, a::Fixed) where {T<:Integer} = round(T, a, RoundDown)
Base.ceil(::Type{T}, a::Fixed) where {T<:Integer} = round(T, a, RoundUp)
Base.trunc(::Type{T}, a::Fixed) where {T<:Integer} = round(T, a, RoundToZero)

function Base.show(io::IO, a::Fixed{D}) where {D}
    digits = lpad(string(abs(big(a.raw))), D + 1, '0')
    text = D == 0 ? digits : digits[1:end-D] * "." * digits[end-D+1:end]
    print(io, a.raw < 0 ? "-" : "", text)
end
