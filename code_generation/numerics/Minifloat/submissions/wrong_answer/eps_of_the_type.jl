# eps of a number forgets that subnormal numbers have the same distance.
struct Minifloat{E,M} <: AbstractFloat
    bits::UInt16
    # Numbers are converted by the other constructors: an UInt16 is a number, too.
    global frombits(::Type{Minifloat{E,M}}, u::UInt16) where {E,M} = new{E,M}(u)
end

tobits(x::Minifloat) = x.bits

sign_mask(::Type{Minifloat{E,M}}) where {E,M} = UInt16(1) << (E + M)
infinity(::Type{Minifloat{E,M}}) where {E,M} = ((UInt16(1) << E) - UInt16(1)) << M
least_exponent(::Type{Minifloat{E,M}}) where {E,M} = 2 - (1 << (E - 1)) - M      # of the smallest number
magnitude(x::Minifloat) = x.bits & ~sign_mask(typeof(x))

function Base.Float64(x::Minifloat{E,M}) where {E,M}
    u = magnitude(x)
    top = infinity(typeof(x))
    v = if u > top
        NaN
    elseif u == top
        Inf
    else
        e = Int(u >> M)
        fraction = Int(u & ((UInt16(1) << M) - UInt16(1)))
        ldexp(Float64(e == 0 ? fraction : fraction + (1 << M)), max(e, 1) - 1 + least_exponent(typeof(x)))
    end
    return signbit(x) ? -v : v
end

# Rounds a Float64, which is exact or was rounded to odd, or is known not to be half way by accident.
function rounded(T::Type{Minifloat{E,M}}, y::Float64) where {E,M}
    s = signbit(y) ? sign_mask(T) : UInt16(0)
    isnan(y) && return frombits(T, (infinity(T) + UInt16(1)) | s)
    a = abs(y)
    iszero(a) && return frombits(T, s)
    isinf(a) && return frombits(T, infinity(T) | s)
    unit = max(exponent(a) - M, least_exponent(T))     # the weight of the last bit
    unit > 200 && return frombits(T, infinity(T) | s)
    count = unit < -1000 ? 0 : Int(round(unit < -900 ? 0.0 : a * 2.0^(-unit)))
    # A carry into the next binade gives the right bits by itself.
    u = count + (unit - least_exponent(T)) * (1 << M)
    return frombits(T, UInt16(min(u, Int(infinity(T)))) | s)
end

# A Float64 that is below x in magnitude, or equal, and has a last bit of 1 where it is not equal.
function to_odd(near::Float64, x)
    (isnan(near) || near == x) && return near
    below = abs(near) > abs(x) ? prevfloat(abs(near)) : abs(near)
    odd = reinterpret(Float64, reinterpret(UInt64, below) | UInt64(1))
    return x < 0 ? -odd : odd
end

const SmallFloat = Union{Float16,Float32,Float64}
(::Type{T})(x::SmallFloat) where {E,M,T<:Minifloat{E,M}} = rounded(Minifloat{E,M}, Float64(x))
(::Type{T})(x::Minifloat) where {E,M,T<:Minifloat{E,M}} = rounded(Minifloat{E,M}, Float64(x))
(::Type{Minifloat{E,M}})(x::Minifloat{E,M}) where {E,M} = x
(::Type{T})(x::Integer) where {E,M,T<:Minifloat{E,M}} = rounded(Minifloat{E,M}, to_odd(Float64(x), big(x)))
(::Type{T})(x::BigFloat) where {E,M,T<:Minifloat{E,M}} = rounded(Minifloat{E,M}, to_odd(Float64(x), x))
(::Type{T})(x::AbstractIrrational) where {E,M,T<:Minifloat{E,M}} = T(BigFloat(x))
function (::Type{T})(x::Rational) where {E,M,T<:Minifloat{E,M}}
    iszero(denominator(x)) && return rounded(Minifloat{E,M}, numerator(x) > 0 ? Inf : -Inf)
    near = setprecision(() -> Float64(BigFloat(numerator(x)) / BigFloat(denominator(x))), BigFloat, 256)
    exact = Rational{BigInt}(x)
    isinf(near) && return rounded(Minifloat{E,M}, near)
    return rounded(Minifloat{E,M}, Rational{BigInt}(near) == exact ? near : to_odd_ratio(near, exact))
end
function to_odd_ratio(near, exact)
    below = Rational{BigInt}(abs(near)) > abs(exact) ? prevfloat(abs(near)) : abs(near)
    odd = reinterpret(Float64, reinterpret(UInt64, below) | UInt64(1))
    return exact < 0 ? -odd : odd
end

Base.Float32(x::Minifloat) = Float32(Float64(x))
Base.Float16(x::Minifloat) = Float16(Float64(x))
Base.BigFloat(x::Minifloat) = BigFloat(Float64(x))
Base.Rational{T}(x::Minifloat) where {T<:Integer} = Rational{T}(Float64(x))
Base.Rational{BigInt}(x::Minifloat) = Rational{BigInt}(Float64(x))
Base.Bool(x::Minifloat) = Bool(Float64(x))
Base.BigInt(x::Minifloat) = BigInt(Float64(x))
(::Type{T})(x::Minifloat) where {T<:Base.BitInteger} = T(Float64(x))

Base.promote_rule(::Type{T}, ::Type{<:Base.BitInteger}) where {T<:Minifloat} = T
Base.promote_rule(::Type{T}, ::Type{<:AbstractIrrational}) where {T<:Minifloat} = T
Base.promote_rule(::Type{<:AbstractIrrational}, ::Type{T}) where {T<:Minifloat} = T
Base.promote_rule(::Type{<:Minifloat}, ::Type{<:Union{Float16,Float32}}) = Float32
Base.promote_rule(::Type{<:Minifloat}, ::Type{Float64}) = Float64
Base.promote_rule(::Type{BigFloat}, ::Type{<:Minifloat}) = BigFloat
function Base.promote_rule(::Type{Minifloat{E,M}}, ::Type{Minifloat{F,N}}) where {E,M,F,N}
    return 1 + max(E, F) + max(M, N) <= 16 ? Minifloat{max(E, F),max(M, N)} : Float32
end

# A Float64 has more than twice the bits of any format, so that its results are never half way by accident.
for op in (:+, :-, :*, :/)
    @eval Base.$op(a::T, b::T) where {T<:Minifloat} = rounded(T, $op(Float64(a), Float64(b)))
end
Base.:-(a::Minifloat) = frombits(typeof(a), a.bits ⊻ sign_mask(typeof(a)))
Base.sqrt(a::Minifloat) = rounded(typeof(a), sqrt(Float64(a)))
function Base.fma(a::T, b::T, c::T) where {T<:Minifloat}
    p, z = Float64(a) * Float64(b), Float64(c)
    s = p + z
    isfinite(s) || return rounded(T, s)
    t = s - p
    e = (p - (s - t)) + (z - t)
    iszero(e) && return rounded(T, s)
    below = (e < 0) != signbit(s) ? prevfloat(abs(s)) : abs(s)
    odd = reinterpret(Float64, reinterpret(UInt64, below) | UInt64(1))
    return rounded(T, copysign(odd, s))
end
Base.muladd(a::T, b::T, c::T) where {T<:Minifloat} = fma(a, b, c)
Base.:^(a::Minifloat, n::Integer) = n < 0 ? inv(a)^(-n) : Base.power_by_squaring(a, n)

for op in (:(==), :<, :<=)
    @eval Base.$op(a::Minifloat, b::Minifloat) = $op(Float64(a), Float64(b))
    for T in (:Integer, :Rational, :AbstractIrrational)
        @eval Base.$op(a::Minifloat, b::$T) = $op(Float64(a), b)
        @eval Base.$op(a::$T, b::Minifloat) = $op(a, Float64(b))
    end
end
Base.hash(a::Minifloat, h::UInt) = hash(Float64(a), h)

Base.signbit(a::Minifloat) = !iszero(a.bits & sign_mask(typeof(a)))
Base.abs(a::Minifloat) = frombits(typeof(a), magnitude(a))
Base.isnan(a::Minifloat) = magnitude(a) > infinity(typeof(a))
Base.isinf(a::Minifloat) = magnitude(a) == infinity(typeof(a))
Base.isfinite(a::Minifloat) = magnitude(a) < infinity(typeof(a))
Base.isinteger(a::Minifloat) = isinteger(Float64(a))
Base.issubnormal(a::Minifloat{E,M}) where {E,M} = 0 < magnitude(a) < (UInt16(1) << M)
Base.zero(T::Type{Minifloat{E,M}}) where {E,M} = frombits(T, UInt16(0))
Base.one(T::Type{Minifloat{E,M}}) where {E,M} = rounded(T, 1.0)
Base.typemax(T::Type{Minifloat{E,M}}) where {E,M} = frombits(T, infinity(T))
Base.typemin(T::Type{Minifloat{E,M}}) where {E,M} = -typemax(T)
Base.floatmax(T::Type{Minifloat{E,M}}) where {E,M} = frombits(T, infinity(T) - UInt16(1))
Base.floatmin(T::Type{Minifloat{E,M}}) where {E,M} = frombits(T, UInt16(1) << M)
Base.precision(::Type{Minifloat{E,M}}) where {E,M} = M + 1
Base.eps(T::Type{Minifloat{E,M}}) where {E,M} = rounded(T, 2.0^-M)
function Base.eps(a::Minifloat{E,M}) where {E,M}
    T = typeof(a)
    isfinite(a) || return rounded(T, NaN)
    least = frombits(T, UInt16(1))
    return iszero(a) ? least : rounded(T, 2.0^(exponent(a) - M))
end
Base.exponent(a::Minifloat) = exponent(Float64(a))
Base.significand(a::Minifloat) = rounded(typeof(a), significand(Float64(a)))
function Base.nextfloat(a::Minifloat)
    T = typeof(a)
    isnan(a) && return a
    iszero(a) && return frombits(T, UInt16(1))
    signbit(a) && return frombits(T, a.bits - UInt16(1))
    return isinf(a) ? a : frombits(T, a.bits + UInt16(1))
end
Base.prevfloat(a::Minifloat) = -nextfloat(-a)

Base.round(a::Minifloat) = round(a, RoundNearest)
Base.round(::Type{I}, a::Minifloat) where {I<:Integer} = round(I, a, RoundNearest)
# One method for each mode, as Base has some for all floats.
for mode in (:Nearest, :NearestTiesAway, :NearestTiesUp, :ToZero, :Up, :Down)
    @eval Base.round(a::Minifloat, mode::RoundingMode{$(QuoteNode(mode))}) = rounded(typeof(a), round(Float64(a), mode))
    @eval Base.round(::Type{I}, a::Minifloat, mode::RoundingMode{$(QuoteNode(mode))}) where {I<:Integer} = I(round(Float64(a), mode))
end
for (f, mode) in ((:floor, :RoundDown), (:ceil, :RoundUp), (:trunc, :RoundToZero))
    @eval Base.$f(a::Minifloat) = round(a, $mode)
    @eval Base.$f(::Type{I}, a::Minifloat) where {I<:Integer} = round(I, a, $mode)
end

Base.show(io::IO, a::Minifloat) = print(io, Float64(a))
Base.tryparse(::Type{T}, s::String) where {E,M,T<:Minifloat{E,M}} = read_number(Minifloat{E,M}, s)
Base.tryparse(::Type{T}, s::AbstractString) where {E,M,T<:Minifloat{E,M}} = read_number(Minifloat{E,M}, String(s))
function Base.parse(::Type{T}, s::AbstractString) where {E,M,T<:Minifloat{E,M}}
    x = read_number(Minifloat{E,M}, String(s))
    x === nothing && throw(ArgumentError("no number: $(repr(s))"))
    return x
end
function read_number(T, s)
    m = match(r"^\s*([+-]?)(?:(Inf)|(NaN)|(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE]([+-]?\d+))?)\s*$", s)
    m === nothing && return nothing
    negative = m[1] == "-"
    m[2] === nothing || return rounded(T, negative ? -Inf : Inf)
    m[3] === nothing || return rounded(T, NaN)
    places = m[4] === nothing ? m[6] : m[5]
    digits = parse(BigInt, string(something(m[4], ""), places))
    power = m[7] === nothing ? big(0) : parse(BigInt, m[7])
    # Beyond these limits it is infinite or zero anyway.
    power = clamp(power - length(places), -1000 - length(s), 1000 + length(s))
    x = T(power < 0 ? digits // big(10)^(-power) : digits * big(10)^power // 1)
    return negative ? -x : x
end
