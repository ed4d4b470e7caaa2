# A BigFloat of more than the current precision is rounded before it is compared.
struct Surd{D} <: Real
    a::Rational{BigInt}
    b::Rational{BigInt}
    function Surd{D}(a::Union{Integer,Rational}, b::Union{Integer,Rational}) where {D}
        D isa Int && D >= 2 && all(k -> D % k^2 != 0, 2:isqrt(D)) || throw(ArgumentError("no root of $D"))
        return new{D}(a, b)
    end
end

Surd{D}(a::Integer) where {D} = Surd{D}(a, 0)
Surd{D}(a::Rational) where {D} = Surd{D}(a, 0)
Surd{D}(x::Surd{D}) where {D} = x

const ExactReal = Union{Integer,Rational}
Base.promote_rule(::Type{Surd{D}}, ::Type{<:ExactReal}) where {D} = Surd{D}
Base.promote_rule(::Type{Surd{D}}, ::Type{F}) where {D,F<:AbstractFloat} = F
Base.widen(::Type{Surd{D}}) where {D} = Surd{D}
Base.big(x::Surd) = x

conjugate(x::Surd{D}) where {D} = Surd{D}(x.a, -x.b)
Base.:+(x::Surd{D}, y::Surd{D}) where {D} = Surd{D}(x.a + y.a, x.b + y.b)
Base.:-(x::Surd{D}, y::Surd{D}) where {D} = Surd{D}(x.a - y.a, x.b - y.b)
Base.:-(x::Surd{D}) where {D} = Surd{D}(-x.a, -x.b)
Base.:*(x::Surd{D}, y::Surd{D}) where {D} = Surd{D}(x.a * y.a + D * x.b * y.b, x.a * y.b + x.b * y.a)
function Base.inv(x::Surd{D}) where {D}
    iszero(x) && throw(DivideError())
    n = x.a^2 - D * x.b^2
    return Surd{D}(x.a / n, -x.b / n)
end
Base.:/(x::Surd{D}, y::Surd{D}) where {D} = x * inv(y)
Base.:^(x::Surd, n::Integer) = n < 0 ? Base.power_by_squaring(inv(x), -n) : Base.power_by_squaring(x, n)

# The greatest integer that is not above x * 2^k.
function scaled_floor(x::Surd{D}, k) where {D}
    r = lcm(denominator(x.a), denominator(x.b))
    p, q = numerator(x.a * r), numerator(x.b * r)
    if k >= 0
        p, q = p << k, q << k
    else
        r <<= -k
    end
    root = isqrt(q^2 * D)
    return fld(q < 0 ? p - root - 1 : p + root, r)
end
# If b is 0 there is no root to round down.
exact_floor(x::Surd, k = 0) = iszero(x.b) ? floor(BigInt, x.a * (big(2) // 1)^k) : scaled_floor(x, k)

# Sign of a + b√D, by squares if the signs of both terms differ.
function sign_of(x::Surd{D}) where {D}
    s, t = sign(numerator(x.a)), sign(numerator(x.b))
    (s == t || iszero(t)) && return Int(s)
    return x.a^2 > D * x.b^2 ? Int(s) : Int(t)
end

Base.signbit(x::Surd) = sign_of(x) < 0
Base.sign(x::Surd{D}) where {D} = Surd{D}(sign_of(x))
Base.abs(x::Surd) = signbit(x) ? -x : x
Base.iszero(x::Surd) = iszero(x.a) && iszero(x.b)
Base.zero(::Type{Surd{D}}) where {D} = Surd{D}(0)
Base.one(::Type{Surd{D}}) where {D} = Surd{D}(1)
Base.isinteger(x::Surd) = iszero(x.b) && isinteger(x.a)
Base.isfinite(x::Surd) = true

# Leading bits of |x|, at least so many, with a last bit of 1 if something was cut off: |x| is about n / 2^k.
function leading_bits(x::Surd, bits)
    k = bits
    n = exact_floor(x, k)
    while ndigits(n; base = 2) < bits
        k *= 2
        n = exact_floor(x, k)
    end
    inexact = !iszero(x - n * (big(1) // (big(2) // 1)^k))
    return 2n + inexact, k + 1
end

function (::Type{T})(x::Surd) where {T<:Union{Float16,Float32,Float64}}
    iszero(x) && return zero(T)
    signbit(x) && return -T(-x)
    n, k = leading_bits(x, 70)
    e = ndigits(n; base = 2) - 1 - k                                   # 2^e <= |x| < 2^(e + 1)
    e > exponent(floatmax(T)) && return T(Inf)
    unit = max(e, exponent(floatmin(T))) - precision_of(T) + 1         # the weight of the last bit
    m = rounded_shift(n, k + unit)
    return T(ldexp(BigFloat(m), unit))
end
precision_of(::Type{T}) where {T} = -exponent(eps(T)) + 1

# n / 2^k to the nearest integer, halves to even, for a positive k.
function rounded_shift(n, k)
    m = n >> k
    rest = n - (m << k)
    half = big(1) << (k - 1)
    return rest > half || (rest == half && isodd(m)) ? m + 1 : m
end

function Base.BigFloat(x::Surd)
    iszero(x) && return BigFloat(0)
    signbit(x) && return -BigFloat(-x)
    n, k = leading_bits(x, precision(BigFloat) + 10)
    return ldexp(BigFloat(n), -k)
end
Base.AbstractFloat(x::Surd) = Float64(x)

function as_rational(T, x)
    iszero(x.b) || throw(InexactError(:Surd, T, x))
    return x.a
end
Base.Rational{T}(x::Surd) where {T<:Integer} = Rational{T}(as_rational(T, x))
Base.Integer(x::Surd) = BigInt(x)
Base.BigInt(x::Surd) = BigInt(as_rational(BigInt, x))
Base.Bool(x::Surd) = Bool(as_rational(Bool, x))
(::Type{T})(x::Surd) where {T<:Base.BitInteger} = T(as_rational(T, x))

exact(y::AbstractFloat) = Rational{BigInt}(y)


# Comparison: -1, 0 or 1.
order(x::Surd{D}, y::Surd{D}) where {D} = sign_of(x - y)
order(x::Surd{D}, y::ExactReal) where {D} = sign_of(x - Surd{D}(y))
order(x::Surd{D}, y::AbstractFloat) where {D} = isinf(y) ? (y > 0 ? -1 : 1) : order(x, exact(y))
function order(x::Surd, y::Surd)
    iszero(x.b) && return -order(y, x.a)
    iszero(y.b) && return order(x, y.a)
    return order_by_bits(x, k -> exact_floor(y, k))      # different roots are never equal
end
function order(x::Surd, y::AbstractIrrational)
    return order_by_bits(x, k -> floor(BigInt, ldexp(setprecision(() -> BigFloat(y), BigFloat, k + 100), k)))
end
function order_by_bits(x, floor_of)
    k = 64
    while true
        n, m = exact_floor(x, k), floor_of(k)
        abs(n - m) > 1 && return n < m ? -1 : 1
        k *= 2
    end
end

Base.:(==)(x::Surd, y::Surd) = order(x, y) == 0
Base.:<(x::Surd, y::Surd) = order(x, y) < 0
Base.:<=(x::Surd, y::Surd) = order(x, y) <= 0
for T in (:ExactReal, :AbstractFloat, :AbstractIrrational)
    @eval Base.:(==)(x::Surd, y::$T) = !isnan(y) && order(x, y) == 0
    @eval Base.:(==)(y::$T, x::Surd) = !isnan(y) && order(x, y) == 0
    for (op, mirrored) in ((:<, :>), (:<=, :>=))
        @eval Base.$op(x::Surd, y::$T) = !isnan(y) && $op(order(x, y), 0)
        @eval Base.$op(y::$T, x::Surd) = !isnan(y) && $mirrored(order(x, y), 0)
    end
end
Base.hash(x::Surd{D}, h::UInt) where {D} = iszero(x.b) ? hash(x.a, h) : hash(x.a, hash(x.b, hash(D, h)))

function rounded(x::Surd, ::RoundingMode{:Nearest})
    n = exact_floor(x)
    c = order(x, n + 1 // 2)
    return c > 0 || (c == 0 && isodd(n)) ? n + 1 : n
end
rounded(x::Surd, ::RoundingMode{:Down}) = exact_floor(x)
rounded(x::Surd, ::RoundingMode{:Up}) = -exact_floor(-x)
rounded(x::Surd, ::RoundingMode{:ToZero}) = signbit(x) ? -exact_floor(-x) : exact_floor(x)

Base.round(x::Surd{D}, mode::RoundingMode = RoundNearest) where {D} = Surd{D}(rounded(x, mode))
Base.round(::Type{T}, x::Surd, mode::RoundingMode = RoundNearest) where {T<:Integer} = T(rounded(x, mode))
for (f, mode) in ((:floor, :RoundDown), (:ceil, :RoundUp), (:trunc, :RoundToZero))
    @eval Base.$f(x::Surd) = round(x, $mode)
    @eval Base.$f(::Type{T}, x::Surd) where {T<:Integer} = round(T, x, $mode)
end
Base.div(x::Surd{D}, y::Surd{D}, mode::RoundingMode) where {D} = round(x / y, mode)
Base.div(x::Surd{D}, y::Surd{D}) where {D} = trunc(x / y)
Base.fld(x::Surd{D}, y::Surd{D}) where {D} = floor(x / y)
Base.cld(x::Surd{D}, y::Surd{D}) where {D} = ceil(x / y)
Base.rem(x::Surd{D}, y::Surd{D}) where {D} = x - y * div(x, y)
Base.mod(x::Surd{D}, y::Surd{D}) where {D} = x - y * fld(x, y)

Base.show(io::IO, x::Surd{D}) where {D} = print(io, "(", x.a, " + ", x.b, "√", D, ")")
