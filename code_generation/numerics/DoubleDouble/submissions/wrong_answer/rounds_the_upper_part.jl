# Rounds the upper part only.
# The exact sum and product of two floats as two floats; a pair is normalized if hi is the nearest float of the sum.
function two_sum(a::Float64, b::Float64)
    s = a + b
    isfinite(s) || return s, 0.0
    t = s - a
    return s, (a - (s - t)) + (b - t)
end
function two_product(a::Float64, b::Float64)
    p = a * b
    isfinite(p) || return p, 0.0
    return p, fma(a, b, -p)
end

struct DoubleDouble <: AbstractFloat
    hi::Float64
    lo::Float64
    function DoubleDouble(hi::Float64, lo::Float64)
        iszero(lo) && return new(hi, 0.0)      # a sum would lose the sign of a zero
        s, t = two_sum(hi, lo)
        return new(s, t)
    end
end

DoubleDouble(x::DoubleDouble) = x
DoubleDouble(x::Float64) = DoubleDouble(x, 0.0)
DoubleDouble(x::Union{Float16,Float32,Bool,Int8,Int16,Int32,UInt8,UInt16,UInt32}) = DoubleDouble(Float64(x), 0.0)
DoubleDouble(x::Integer) = DoubleDouble(BigFloat(x; precision = max(200, ndigits(x; base = 2))))
DoubleDouble(x::Rational) = setprecision(() -> DoubleDouble(BigFloat(numerator(x)) / BigFloat(denominator(x))), BigFloat, 2400)
DoubleDouble(x::AbstractIrrational) = setprecision(() -> DoubleDouble(BigFloat(x)), BigFloat, 300)
function DoubleDouble(x::BigFloat)
    hi = Float64(x)
    isfinite(hi) || return DoubleDouble(hi, 0.0)
    return DoubleDouble(hi, Float64(setprecision(() -> x - hi, BigFloat, precision(x) + 1100)))
end

exact(x::DoubleDouble) = Rational{BigInt}(x.hi) + Rational{BigInt}(x.lo)

Base.Float64(x::DoubleDouble) = x.hi
Base.Float32(x::DoubleDouble) = isfinite(x.hi) ? Float32(exact(x)) : Float32(x.hi)
Base.Float16(x::DoubleDouble) = isfinite(x.hi) ? Float16(exact(x)) : Float16(x.hi)
Base.BigFloat(x::DoubleDouble) = isfinite(x.hi) ? BigFloat(x.hi) + x.lo : BigFloat(x.hi)
Base.Rational{T}(x::DoubleDouble) where {T<:Integer} = Rational{T}(exact(x))
Base.Rational{BigInt}(x::DoubleDouble) = exact(x)
Base.BigInt(x::DoubleDouble) = isinteger(x) ? numerator(exact(x)) : throw(InexactError(:BigInt, BigInt, x))
(::Type{T})(x::DoubleDouble) where {T<:Union{Int8,Int16,Int32,Int64,Int128,UInt8,UInt16,UInt32,UInt64,UInt128}} =
    isinteger(x) ? T(BigInt(x)) : throw(InexactError(nameof(T), T, x))

Base.promote_rule(::Type{DoubleDouble}, ::Type{<:Union{Bool,Base.BitInteger,Rational,Float16,Float32,Float64}}) = DoubleDouble
Base.promote_rule(::Type{DoubleDouble}, ::Type{<:AbstractIrrational}) = DoubleDouble
Base.promote_rule(::Type{BigFloat}, ::Type{DoubleDouble}) = BigFloat

function Base.:+(a::DoubleDouble, b::DoubleDouble)
    s, e = two_sum(a.hi, b.hi)
    t, f = two_sum(a.lo, b.lo)
    iszero(e) && iszero(t) && return DoubleDouble(s, 0.0)
    s, e = two_sum(s, e + t)
    return DoubleDouble(s, e + f)
end
Base.:-(a::DoubleDouble) = DoubleDouble(-a.hi, -a.lo)
Base.:-(a::DoubleDouble, b::DoubleDouble) = a + (-b)
function Base.:*(a::DoubleDouble, b::DoubleDouble)
    p, e = two_product(a.hi, b.hi)
    isfinite(p) || return DoubleDouble(p, 0.0)
    return DoubleDouble(p, e + (a.hi * b.lo + a.lo * b.hi))
end
function Base.:/(a::DoubleDouble, b::DoubleDouble)
    q = a.hi / b.hi
    isfinite(q) && isfinite(b.hi) && !iszero(q) || return DoubleDouble(q, 0.0)
    r = a - b * DoubleDouble(q)
    q2 = r.hi / b.hi
    r = r - b * DoubleDouble(q2)
    return DoubleDouble(q, q2) + DoubleDouble(r.hi / b.hi)
end
function Base.sqrt(a::DoubleDouble)
    s = sqrt(a.hi)
    (iszero(s) || !isfinite(s)) && return DoubleDouble(s, 0.0)
    r = a - DoubleDouble(two_product(s, s)...)
    return DoubleDouble(s, r.hi / (2s))
end
Base.abs(a::DoubleDouble) = signbit(a) ? -a : a
Base.signbit(a::DoubleDouble) = signbit(a.hi)
Base.sign(a::DoubleDouble) = DoubleDouble(sign(a.hi))
Base.isnan(a::DoubleDouble) = isnan(a.hi)
Base.isinf(a::DoubleDouble) = isinf(a.hi)
Base.isfinite(a::DoubleDouble) = isfinite(a.hi)
Base.iszero(a::DoubleDouble) = iszero(a.hi)
Base.zero(::Type{DoubleDouble}) = DoubleDouble(0.0)
Base.one(::Type{DoubleDouble}) = DoubleDouble(1.0)
Base.eps(::Type{DoubleDouble}) = DoubleDouble(2.0^-105)
Base.precision(::Type{DoubleDouble}) = 106

Base.:(==)(a::DoubleDouble, b::DoubleDouble) = a.hi == b.hi && a.lo == b.lo
Base.:<(a::DoubleDouble, b::DoubleDouble) = a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo)
Base.:<=(a::DoubleDouble, b::DoubleDouble) = a.hi < b.hi || (a.hi == b.hi && a.lo <= b.lo)

# With numbers that need not fit into a pair, by exact values. (Base does so for rationals.)
for op in (:(==), :<, :<=)
    for T in (:BigInt, :Int128, :UInt128)
        @eval Base.$op(a::DoubleDouble, b::$T) = isfinite(a) ? $op(exact(a), b) : $op(a.hi, b)
        @eval Base.$op(a::$T, b::DoubleDouble) = isfinite(b) ? $op(a, exact(b)) : $op(a, b.hi)
    end
    @eval Base.$op(a::DoubleDouble, b::BigFloat) = isfinite(a) && isfinite(b) ? $op(exact(a), Rational{BigInt}(b)) : $op(a.hi, b)
    @eval Base.$op(a::BigFloat, b::DoubleDouble) = isfinite(a) && isfinite(b) ? $op(Rational{BigInt}(a), exact(b)) : $op(a, b.hi)
end
Base.isequal(a::DoubleDouble, b::DoubleDouble) = isequal(a.hi, b.hi) && a.lo == b.lo
Base.isless(a::DoubleDouble, b::DoubleDouble) = isless(a.hi, b.hi) || (isequal(a.hi, b.hi) && a.lo < b.lo)
Base.hash(a::DoubleDouble, h::UInt) = iszero(a.lo) || !isfinite(a) ? hash(a.hi, h) : hash(exact(a), h)

Base.isinteger(a::DoubleDouble) = isfinite(a) && isinteger(a.hi) && isinteger(a.lo)
function Base.round(a::DoubleDouble, mode::RoundingMode)
    return isfinite(a) ? DoubleDouble(round_exact(a, mode)) : a
end
round_exact(a, mode) = round(BigInt, a.hi, mode)
Base.round(::Type{T}, a::DoubleDouble, mode::RoundingMode = RoundNearest) where {T<:Integer} = T(round_exact(a, mode))
for (f, mode) in ((:floor, :RoundDown), (:ceil, :RoundUp), (:trunc, :RoundToZero))
    @eval Base.$f(a::DoubleDouble) = round(a, $mode)
    @eval Base.$f(::Type{T}, a::DoubleDouble) where {T<:Integer} = round(T, a, $mode)
end
Base.show(io::IO, a::DoubleDouble) = print(io, "DoubleDouble(", a.hi, ", ", a.lo, ")")
