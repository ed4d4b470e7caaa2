# Zeros have no sign.
import Statistics
using Statistics: mean, var, std

# Finite numbers are integers times the smallest number of T; their sum and the sum of their squares are kept exactly.
mutable struct Tally{T<:Union{Float16,Float32,Float64}}
    count::Int           # of finite numbers, with zeros
    total::BigInt
    squares::BigInt
    negative_zeros::Int
    infinities::Int
    negative_infinities::Int
    nans::Int
    Tally{T}() where {T} = new{T}(0, 0, 0, 0, 0, 0, 0)
end

Tally{T}(xs) where {T} = append!(Tally{T}(), xs)
Tally(xs::AbstractArray{T}) where {T} = Tally{T}(xs)

least_exponent(::Type{T}) where {T} = exponent(nextfloat(zero(T)))
# x as a multiple of the smallest number.
function units(x::T) where {T}
    iszero(x) && return big(0)
    m, e = frexp(x)
    p = precision(T)
    # A subnormal number has fewer bits than p: then the shift is negative, and what is cut off are zeros.
    return BigInt(ldexp(Float64(m), p)) << (e - p - least_exponent(T))
end

function change!(t::Tally{T}, x::T, n) where {T}
    if isnan(x)
        t.nans += n
    elseif isinf(x)
        x > 0 ? (t.infinities += n) : (t.negative_infinities += n)
    else
        u = units(x)
        t.count += n
        t.total += n * u
        t.squares += n * u^2

    end
    return t
end

Base.push!(t::Tally{T}, xs::Real...) where {T} = append!(t, xs)
function Base.append!(t::Tally{T}, xs) where {T}
    for x in xs
        change!(t, convert(T, x), 1)
    end
    return t
end
function Base.delete!(t::Tally{T}, x::Real) where {T}
    y = convert(T, x)
    there = isnan(y) ? t.nans : y == Inf ? t.infinities : y == -Inf ? t.negative_infinities : t.count
    there > 0 || throw(ArgumentError("there is no such number in the tally: $x"))
    return change!(t, y, -1)
end

parts(t::Tally) = (t.count, t.total, t.squares, t.negative_zeros, t.infinities, t.negative_infinities, t.nans)
function set!(t::Tally, values)
    t.count, t.total, t.squares, t.negative_zeros, t.infinities, t.negative_infinities, t.nans = values
    return t
end
Base.copy(t::Tally{T}) where {T} = set!(Tally{T}(), parts(t))
Base.empty!(t::Tally{T}) where {T} = set!(t, parts(Tally{T}()))
# The parts of all are read before any changes, because one of them may be t itself.
Base.merge!(t::Tally{T}, others::Tally{T}...) where {T} = set!(t, reduce((a, b) -> a .+ b, map(parts, others); init = parts(t)))
Base.merge(t::Tally{T}, others::Tally{T}...) where {T} = merge!(copy(t), others...)
Base.length(t::Tally) = t.count + t.infinities + t.negative_infinities + t.nans
Base.isempty(t::Tally) = length(t) == 0
Base.eltype(::Type{Tally{T}}) where {T} = T
Base.:(==)(s::Tally, t::Tally) = eltype(s) == eltype(t) && parts(s) == parts(t)
Base.hash(t::Tally{T}, h::UInt) where {T} = hash(parts(t), hash(T, h))

# What stands for the sum and the mean if not all numbers are finite.
function special(t::Tally{T}) where {T}
    (t.nans > 0 || (t.infinities > 0 && t.negative_infinities > 0)) && return T(NaN)
    t.infinities > 0 && return T(Inf)
    return t.negative_infinities > 0 ? T(-Inf) : T(NaN)
end
all_finite(t) = length(t) == t.count

# The number of T nearest to p / q times the smallest number; halves go to even, a zero has the sign of p.
function nearest(::Type{T}, p, q) where {T}
    p < 0 && return -nearest(T, -p, q)
    excess = ndigits(p; base = 2) - ndigits(q; base = 2) - 1
    unit = max(excess - precision(T) + 1, 0)
    m = half_even(p, q << unit)
    ndigits(m; base = 2) > precision(T) || return scaled(T, m, unit)
    # One bit too many: the estimate of the size was too low.
    unit += 1
    return scaled(T, half_even(p, q << unit), unit)
end
function half_even(p, q)
    m, rest = divrem(p, q)
    c = cmp(2 * rest, q)
    return c > 0 || (c == 0 && isodd(m)) ? m + 1 : m
end
function scaled(::Type{T}, m, unit) where {T}
    iszero(m) && return zero(T)
    ndigits(m; base = 2) + unit + least_exponent(T) - 1 > exponent(floatmax(T)) && return T(Inf)
    return T(ldexp(BigFloat(m), unit + least_exponent(T)))
end
# The root of p / q, without rounding to another number of bits on the way: halves cannot be told from a root cut off, so
# that a last bit tells whether something was.
function nearest_root(::Type{T}, p, q) where {T}
    extra = 2 * (precision(T) + 2) + max(ndigits(q; base = 2) - ndigits(p; base = 2), 0)
    s, rest = divrem(p << (2 * extra), q)
    r = isqrt(s)
    exact = iszero(rest) && r^2 == s
    return nearest(T, 2 * r + !exact, big(1) << (extra + 1))
end

function Base.sum(t::Tally{T}) where {T}
    all_finite(t) || return special(t)
    t.count > 0 && t.count == t.negative_zeros && return -zero(T)
    return nearest(T, t.total, big(1))
end
function Statistics.mean(t::Tally{T}) where {T}
    all_finite(t) && t.count > 0 || return special(t)
    t.count == t.negative_zeros && return -zero(T)
    return nearest(T, t.total, big(t.count))
end
# The variance as a ratio, in squares of the smallest number.
function exact_variance(t, corrected)
    n = big(t.count)
    return n * t.squares - t.total^2, n * (n - corrected)
end
function Statistics.var(t::Tally{T}; corrected::Bool = true) where {T}
    all_finite(t) && t.count > corrected || return T(NaN)
    p, q = exact_variance(t, corrected)
    return nearest(T, p, q << -least_exponent(T))
end
function Statistics.std(t::Tally{T}; corrected::Bool = true) where {T}
    all_finite(t) && t.count > corrected || return T(NaN)
    return nearest_root(T, exact_variance(t, corrected)...)
end
