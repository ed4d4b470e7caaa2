# Calculates in Float64 and corrects each bound by comparing it with the exact rational result.
struct Interval
    lo::Float64
    hi::Float64
    function Interval(lo::Real, hi::Real)
        (isnan(lo) || isnan(hi) || lo > hi || lo == Inf || hi == -Inf) && throw(ArgumentError("bad bounds"))
        new(lo, hi)
    end
end
Interval(x::Real) = Interval(x, x)
const Q = Rational{BigInt}
fix(x::Float64, exact::Q, ::Val{:lo}) = x == Inf || Q(x) > exact ? prevfloat(x) : x
fix(x::Float64, exact::Q, ::Val{:hi}) = x == -Inf || Q(x) < exact ? nextfloat(x) : x
# The Float64 next to an exact rational, on the side that is asked for.
function side(exact::Q, v::Val)
    x = Float64(setprecision(() -> BigFloat(numerator(exact)) / BigFloat(denominator(exact)), BigFloat, 300))
    return fix(x, exact, v)
end
lows(a) = a isa Interval ? a.lo : a
highs(a) = a isa Interval ? a.hi : a
finite(xs...) = all(isfinite, xs)
function add(x, y, v)
    finite(x, y) || return isfinite(x) ? Float64(y) : Float64(x)
    return side(Q(x) + Q(y), v)
end
function mul(x, y, v)
    (x == 0 || y == 0) && return 0.0
    finite(x, y) || return sign(x) * sign(y) * Inf
    return side(Q(x) * Q(y), v)
end
function div_(x, y, v)
    (x == 0 || isinf(y)) && return 0.0
    isinf(x) && return sign(x) * sign(y) * Inf
    return side(Q(x) / Q(y), v)
end
pairs_of(a, b) = ((lows(a), lows(b)), (lows(a), highs(b)), (highs(a), lows(b)), (highs(a), highs(b)))
const Any3 = Union{Int, Float64}
for (A, B) in ((Interval, Interval), (Interval, Any3), (Any3, Interval))
    @eval Base.:+(a::$A, b::$B) = Interval(add(lows(a), lows(b), Val(:lo)), add(highs(a), highs(b), Val(:hi)))
    @eval Base.:-(a::$A, b::$B) = Interval(
        side_minus(lows(a), highs(b), Val(:lo)), side_minus(highs(a), lows(b), Val(:hi)))
    @eval Base.:*(a::$A, b::$B) = Interval(
        minimum(mul(x, y, Val(:lo)) for (x, y) in pairs_of(a, b)), maximum(mul(x, y, Val(:hi)) for (x, y) in pairs_of(a, b)))
    @eval function Base.:/(a::$A, b::$B)
        lows(b) <= 0 <= highs(b) && throw(DomainError(b))
        return Interval(minimum(div_(x, y, Val(:lo)) for (x, y) in pairs_of(a, b)),
            maximum(div_(x, y, Val(:hi)) for (x, y) in pairs_of(a, b)))
    end
end
side_minus(x, y, v) = finite(x, y) ? side(Q(x) - Q(y), v) : isfinite(x) ? -Float64(y) : Float64(x)
Base.:-(a::Interval) = Interval(-a.hi, -a.lo)
function Base.sqrt(a::Interval)
    a.lo < 0 && throw(DomainError(a))
    lo, hi = sqrt(a.lo), sqrt(a.hi)
    Q(lo)^2 > Q(a.lo) && (lo = prevfloat(lo))
    isfinite(hi) && Q(hi)^2 < Q(a.hi) && (hi = nextfloat(hi))
    return Interval(lo, hi)
end
pow(x, n, v) = isfinite(x) ? side(Q(x)^n, v) : (isodd(n) ? x : Inf)
function Base.:^(a::Interval, n::Integer)
    n == 0 && return Interval(1, 1)
    if isodd(n)
        return Interval(pow(a.lo, n, Val(:lo)), pow(a.hi, n, Val(:hi)))
    elseif a.lo > 0
        return Interval(pow(a.lo, n, Val(:lo)), pow(a.hi, n, Val(:hi)))
    elseif a.hi < 0
        return Interval(pow(a.hi, n, Val(:lo)), pow(a.lo, n, Val(:hi)))
    end
    return Interval(0, max(pow(a.lo, n, Val(:hi)), pow(a.hi, n, Val(:hi))))
end
Base.:(==)(a::Interval, b::Interval) = (a.lo, a.hi) == (b.lo, b.hi)
