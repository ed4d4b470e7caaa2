# The rule of Base for constants, which needs the real part of the type, is in the way.
using LinearAlgebra

struct Jet{L,T<:Number} <: Number
    coefficients::NTuple{L,T}
    Jet{L,T}(c::NTuple{L,T}) where {L,T<:Number} = new{L,T}(c)
end

const Plain = Union{Real,Complex}
Jet(c::NTuple{L,T}) where {L,T<:Plain} = Jet{L,T}(c)
Jet(c0::Plain, more::Plain...) = Jet(promote(c0, more...))
Jet{L,T}(x::Plain) where {L,T} = Jet{L,T}(ntuple(k -> k == 1 ? convert(T, x) : zero(T), Val(L)))
Jet{L,T}(j::Jet{L}) where {L,T} = Jet{L,T}(map_coefficients(c -> convert(T, c), j))
Jet{L,T}(j::Jet{L,T}) where {L,T} = j

Base.convert(::Type{Jet{L,T}}, x::Plain) where {L,T} = Jet{L,T}(x)
Base.convert(::Type{Jet{L,T}}, j::Jet{L}) where {L,T} = Jet{L,T}(j)
Base.promote_rule(::Type{Jet{L,T}}, ::Type{S}) where {L,T,S<:Plain} = Jet{L,promote_type(T, S)}
# Base has a rule for constants and all numbers, which asks for the real part of the type.

Base.promote_rule(::Type{Jet{L,T}}, ::Type{Jet{L,S}}) where {L,T,S} = Jet{L,promote_type(T, S)}

map_coefficients(f::F, a::Jet{L}) where {F,L} = ntuple(k -> f(a.coefficients[k]), Val(L))
map_coefficients(f::F, a::Jet{L}, b::Jet{L}) where {F,L} = ntuple(k -> f(a.coefficients[k], b.coefficients[k]), Val(L))
retyped(::Type{T}, a::Jet{L}) where {T,L} = Jet{L,T}(a)

# A tuple of L elements, each made by step(k, those before), for k = 1, 2, ..., behind the first.
@generated function recurrence(step::F, first, ::Val{L}) where {F,L}
    names = [Symbol(:c, k) for k in 0:L-1]
    lines = [:($(names[k+1]) = step($k, ($(names[1:k]...),))) for k in 1:L-1]
    return :($(names[1]) = first; $(lines...); ($(names...),))
end
# The sum of weight(j) * a[j] * b[k-j] for j from low to high.
@inline function convolved(weight::F, a, b, k, low, high, zero) where {F}
    s = zero
    for j in low:high
        s += weight(j) * a[j+1] * b[k-j+1]
    end
    return s
end
one_for_all(j) = true

Base.:+(a::Jet{L}, b::Jet{L}) where {L} = Jet(map_coefficients(+, a, b))
Base.:-(a::Jet{L}, b::Jet{L}) where {L} = Jet(map_coefficients(-, a, b))
Base.:-(a::Jet) = Jet(map_coefficients(-, a))
function Base.:*(a::Jet{L}, b::Jet{L}) where {L}
    p, q = a.coefficients, b.coefficients
    z = zero(p[1] * q[1])
    return Jet(ntuple(k -> convolved(one_for_all, p, q, k - 1, 0, k - 1, z), Val(L)))
end
function Base.:/(a::Jet{L}, b::Jet{L}) where {L}
    p, q = a.coefficients, b.coefficients
    first = p[1] / q[1]
    return Jet(recurrence((k, c) -> (p[k+1] - convolved(one_for_all, c, q, k, 0, k - 1, zero(first))) / q[1], first, Val(L)))
end
Base.inv(a::Jet) = one(a) / a

# y with y' = a' * g, from its first coefficient; g(y) is a tuple of as many coefficients as are known of y.
slope_sum(a, g, k, zero) = convolved(identity, a, g, k, 1, k, zero) / k
function Base.exp(a::Jet{L}) where {L}
    first = exp(a.coefficients[1])
    return exp_from(retyped(typeof(first), a), first, first)
end
# With another first coefficient than the one of the recurrence.
function exp_from(a::Jet{L,T}, e0::T, shown::T) where {L,T}
    p = a.coefficients
    c = recurrence((k, c) -> slope_sum(p, c, k, zero(e0)), e0, Val(L))
    return Jet(ntuple(k -> k == 1 ? shown : c[k], Val(L)))
end
function Base.expm1(a::Jet)
    first = exp(a.coefficients[1])
    return exp_from(retyped(typeof(first), a), first, expm1(a.coefficients[1]))
end
function log_from(p::NTuple{L,T}, first::T) where {L,T}
    return Jet(recurrence((k, c) -> (p[k+1] - convolved(identity, c, p, k, 1, k - 1, zero(first)) / k) / p[1], first, Val(L)))
end
function Base.log(a::Jet)
    first = log(a.coefficients[1])
    return log_from(retyped(typeof(first), a).coefficients, first)
end
function Base.log1p(a::Jet)
    first = log1p(a.coefficients[1])
    return log_from((1 + retyped(typeof(first), a)).coefficients, first)
end
function Base.sqrt(a::Jet{L}) where {L}
    first = sqrt(a.coefficients[1])
    p = retyped(typeof(first), a).coefficients
    return Jet(recurrence((k, c) -> (p[k+1] - convolved(one_for_all, c, c, k, 1, k - 1, zero(first))) / (2 * first), first, Val(L)))
end
# Pairs of functions that are each other's derivatives, up to a sign.
function pair_of(a::Jet{L,T}, s::T, c::T, sign) where {L,T}
    p = a.coefficients
    pairs = recurrence((s, c), Val(L)) do k, known
        slope_sum(p, ntuple(i -> known[i][2], length(known)), k, zero(s)), sign * slope_sum(p, ntuple(i -> known[i][1], length(known)), k, zero(s))
    end
    return Jet(map(first, pairs)), Jet(map(last, pairs))
end
function Base.sincos(a::Jet)
    s, c = sincos(a.coefficients[1])
    return pair_of(retyped(typeof(s), a), s, c, -1)
end
function sinh_and_cosh(a::Jet)
    s, c = sinh(a.coefficients[1]), cosh(a.coefficients[1])
    return pair_of(retyped(typeof(s), a), s, c, 1)
end
Base.sin(a::Jet) = sincos(a)[1]
Base.cos(a::Jet) = sincos(a)[2]
Base.tan(a::Jet) = ((s, c) = sincos(a); s / c)
Base.sinh(a::Jet) = sinh_and_cosh(a)[1]
Base.cosh(a::Jet) = sinh_and_cosh(a)[2]
Base.tanh(a::Jet) = ((s, c) = sinh_and_cosh(a); s / c)
# The integral of a' * g.
function integral(first::T, a::Jet{L}, g::Jet{L}) where {L,T}
    p, q = retyped(T, a).coefficients, retyped(T, g).coefficients
    return Jet(ntuple(k -> k == 1 ? first : slope_sum(p, q, k - 1, zero(first)), Val(L)))
end
Base.atan(a::Jet) = integral(atan(a.coefficients[1]), a, inv(1 + a * a))
Base.asin(a::Jet) = integral(asin(a.coefficients[1]), a, inv(sqrt(1 - a * a)))
Base.acos(a::Jet) = integral(acos(a.coefficients[1]), a, -inv(sqrt(1 - a * a)))

Base.:^(a::Jet, n::Integer) = n < 0 ? Base.power_by_squaring(inv(a), -n) : Base.power_by_squaring(a, n)
# The sign of a literal exponent is known to the compiler, and with it the type.
Base.literal_pow(::typeof(^), a::Jet, ::Val{N}) where {N} = N < 0 ? Base.power_by_squaring(inv(a), -N) : Base.power_by_squaring(a, N)
Base.:^(a::Jet, x::Rational) = real_power(a, x)
Base.:^(a::Jet, x::Real) = real_power(a, x)
Base.:^(a::Jet, x::Complex) = general_power(a, x)
function real_power(a::Jet{L,T}, x) where {L,T}
    isinteger(x) || return general_power(a, x)
    S = typeof(one(real(T))^x * one(T))
    return retyped(S, retyped(S, a)^Integer(x))
end
function general_power(a::Jet{L}, x) where {L}
    first = a.coefficients[1]^x
    p = retyped(typeof(first), a).coefficients
    return Jet(recurrence((k, c) -> convolved(j -> j * x - (k - j), p, c, k, 1, k, zero(first)) / (k * p[1]), first, Val(L)))
end
Base.:^(a::Jet{L}, b::Jet{L}) where {L} = exp(b * log(a))
Base.:^(x::Number, b::Jet) = exp(b * log(x))
Base.:^(x::Irrational{:ℯ}, b::Jet) = exp(b)

Base.abs(a::Jet) = a.coefficients[1] < 0 ? -a : a
Base.sign(a::Jet{L,T}) where {L,T} = Jet{L,T}(sign(a.coefficients[1]))
Base.conj(a::Jet) = Jet(map_coefficients(conj, a))
Base.float(a::Jet) = Jet(map_coefficients(float, a))
Base.zero(::Type{Jet{L,T}}) where {L,T} = Jet{L,T}(zero(T))
Base.one(::Type{Jet{L,T}}) where {L,T} = Jet{L,T}(one(T))
Base.isfinite(a::Jet) = all(isfinite, a.coefficients)
Base.isnan(a::Jet) = any(isnan, a.coefficients)

Base.:(==)(a::Jet{L}, b::Jet{L}) where {L} = a.coefficients == b.coefficients
Base.isequal(a::Jet{L}, b::Jet{L}) where {L} = isequal(a.coefficients, b.coefficients)
Base.hash(a::Jet, h::UInt) = all(iszero, Base.tail(a.coefficients)) ? hash(a.coefficients[1], h) : hash(a.coefficients, hash(:Jet, h))
for op in (:<, :<=, :isless)
    @eval Base.$op(a::Jet, b::Jet) = $op(a.coefficients[1], b.coefficients[1])
    @eval Base.$op(a::Jet, b::Real) = $op(a.coefficients[1], b)
    @eval Base.$op(a::Real, b::Jet) = $op(a, b.coefficients[1])
end

function taylor(f, x, ::Val{N}) where {N}
    y = f(Jet(ntuple(k -> k == 1 ? x : k == 2 ? one(x) : zero(x), Val(N + 1))))
    return y isa Jet ? y.coefficients : Jet{N + 1,typeof(y)}(y).coefficients
end
