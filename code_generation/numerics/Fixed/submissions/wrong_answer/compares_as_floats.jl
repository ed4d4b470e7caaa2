# Compares with floats by promotion, which rounds.
struct Fixed{D} <: Real
    units::Int64
    Fixed{D}(units::Int64, ::Val{:units}) where {D} = new{D}(units)
end

scale(::Type{Fixed{D}}) where {D} = Int64(10)^D
of_units(::Type{F}, n::Int64) where {F<:Fixed} = F(n, Val(:units))
function of_units(::Type{F}, n::Integer) where {F<:Fixed}
    typemin(Int64) <= n <= typemax(Int64) || throw(OverflowError("$n units do not fit"))
    return of_units(F, Int64(n))
end

# n / d for d != 0, rounded to the nearest integer, halves to the even one.
function nearest(n::Integer, d::Integer)
    q, r = fldmod(d < 0 ? -n : n, abs(d))
    twice = 2r
    return twice > abs(d) || (twice == abs(d) && isodd(q)) ? q + 1 : q
end

exact(x::Integer) = big(x) // 1
exact(x::Rational) = big(numerator(x)) // big(denominator(x))
exact(x::Fixed) = big(x.units) // scale(typeof(x))
function exact(x::Real)
    isfinite(x) || throw(ArgumentError("not a finite number: $x"))
    return Rational{BigInt}(x)
end

function Fixed{D}(x::Real) where {D}
    r = exact(x)
    return of_units(Fixed{D}, nearest(numerator(r) * scale(Fixed{D}), denominator(r)))
end
Fixed{D}(x::Fixed{D}) where {D} = x
Fixed{D}(x::Bool) where {D} = of_units(Fixed{D}, x * scale(Fixed{D}))

Base.promote_rule(::Type{Fixed{D}}, ::Type{<:Integer}) where {D} = Fixed{D}
Base.promote_rule(::Type{Fixed{D}}, ::Type{Bool}) where {D} = Fixed{D}
Base.promote_rule(::Type{Fixed{D}}, ::Type{Fixed{E}}) where {D,E} = Fixed{max(D, E)}
Base.promote_rule(::Type{<:Fixed}, ::Type{T}) where {T<:AbstractFloat} = T
Base.promote_rule(::Type{<:Fixed}, ::Type{Rational{T}}) where {T} = Rational{promote_type(T, Int64)}

Base.Float64(x::Fixed) = Float64(exact(x))
Base.Float32(x::Fixed) = Float32(exact(x))
Base.Float16(x::Fixed) = Float16(exact(x))
Base.BigFloat(x::Fixed) = BigFloat(exact(x))
Base.float(x::Fixed) = Float64(x)
Base.AbstractFloat(x::Fixed) = Float64(x)
Base.Rational{T}(x::Fixed) where {T<:Integer} = Rational{T}(exact(x))
Base.Rational(x::Fixed) = Rational{Int64}(exact(x))
(::Type{T})(x::Fixed) where {T<:Integer} = T(exact(x))
Base.Bool(x::Fixed) = Bool(exact(x))
Base.BigInt(x::Fixed) = BigInt(exact(x))

Base.:+(a::F, b::F) where {F<:Fixed} = of_units(F, Base.checked_add(a.units, b.units))
Base.:-(a::F, b::F) where {F<:Fixed} = of_units(F, Base.checked_sub(a.units, b.units))
Base.:-(a::F) where {F<:Fixed} = of_units(F, Base.checked_neg(a.units))
Base.:*(a::F, b::F) where {F<:Fixed} = of_units(F, nearest(Int128(a.units) * b.units, scale(F)))
function Base.:/(a::F, b::F) where {F<:Fixed}
    iszero(b.units) && throw(DivideError())
    return of_units(F, nearest(Int128(a.units) * scale(F), b.units))
end
# A product with an integer is exact.
Base.:*(a::F, n::Union{Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32}) where {F<:Fixed} = of_units(F, Base.checked_mul(a.units, Int64(n)))
Base.:*(n::Union{Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32}, a::Fixed) = a * n
Base.abs(a::F) where {F<:Fixed} = signbit(a) ? -a : a
Base.signbit(a::Fixed) = a.units < 0
Base.sign(a::Fixed) = of_units(typeof(a), sign(a.units) * scale(typeof(a)))

for f in (:div, :fld, :cld)
    @eval Base.$f(a::F, b::F) where {F<:Fixed} = $f(a.units, b.units)
end
for f in (:rem, :mod)
    @eval Base.$f(a::F, b::F) where {F<:Fixed} = of_units(F, $f(a.units, b.units))
end
Base.div(a::F, b::F, mode::RoundingMode) where {F<:Fixed} = div(a.units, b.units, mode)

# Compared by their exact values, with numbers of all kinds.
Base.:(==)(a::F, b::F) where {F<:Fixed} = a.units == b.units
Base.:<(a::F, b::F) where {F<:Fixed} = a.units < b.units
Base.:<=(a::F, b::F) where {F<:Fixed} = a.units <= b.units
for f in (:(==), :<, :<=)
    @eval Base.$f(a::Fixed, b::Fixed) = $f(exact(a), exact(b))
    @eval Base.$f(a::Fixed, b::AbstractFloat) = $f(Float64(a), b)
    @eval Base.$f(a::AbstractFloat, b::Fixed) = $f(a, Float64(b))
    @eval Base.$f(a::Fixed, b::Rational) = $f(exact(a), b)
    @eval Base.$f(a::Rational, b::Fixed) = $f(a, exact(b))
    @eval Base.$f(a::Fixed, b::Integer) = $f(exact(a), b)
    @eval Base.$f(a::Integer, b::Fixed) = $f(a, exact(b))
end
Base.isless(a::Fixed, b::Real) = isless(exact(a), b)
Base.isless(a::Real, b::Fixed) = isless(a, exact(b))
Base.isless(a::Fixed, b::Fixed) = a < b
Base.isless(a::Fixed, b::AbstractFloat) = isnan(b) || a < b
Base.isless(a::AbstractFloat, b::Fixed) = a < b
Base.hash(a::Fixed, h::UInt) = hash(exact(a), h)

Base.isinteger(a::Fixed) = iszero(rem(a.units, scale(typeof(a))))
Base.isfinite(::Fixed) = true
Base.isnan(::Fixed) = false
Base.isinf(::Fixed) = false
Base.typemin(::Type{F}) where {F<:Fixed} = of_units(F, typemin(Int64))
Base.typemax(::Type{F}) where {F<:Fixed} = of_units(F, typemax(Int64))
Base.round(a::F, mode::RoundingMode = RoundNearest) where {F<:Fixed} = of_units(F, round(BigInt, exact(a), mode) * scale(F))
Base.round(::Type{T}, a::Fixed, mode::RoundingMode = RoundNearest) where {T<:Integer} = T(round(BigInt, exact(a), mode))
for (f, mode) in ((:floor, :RoundDown), (:ceil, :RoundUp), (:trunc, :RoundToZero))
    @eval Base.$f(a::Fixed) = round(a, $mode)
    @eval Base.$f(::Type{T}, a::Fixed) where {T<:Integer} = round(T, a, $mode)
end

function Base.show(io::IO, a::Fixed{D}) where {D}
    whole, part = divrem(abs(big(a.units)), scale(typeof(a)))
    print(io, a.units < 0 ? "-" : "", whole, D == 0 ? "" : "." * lpad(part, D, '0'))
end
