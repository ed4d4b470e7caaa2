# Converts integers to Float64 first.
struct Interval
    lo::Float64
    hi::Float64

    function Interval(lo::Real, hi::Real)
        lo <= hi && lo < Inf && hi > -Inf || throw(ArgumentError("no interval: from $lo to $hi"))
        return new(lo, hi)
    end
end

Interval(x::Real) = Interval(x, x)

# Sums of Float64 fit into 2200 bits exactly; rounding twice in the same direction is rounding once.
directed(op, mode, xs...) = setprecision(BigFloat, 2200) do
    setrounding(BigFloat, mode) do
        Float64(op(map(BigFloat, xs)...), mode)
    end
end
down(op, xs...) = directed(op, RoundDown, xs...)
up(op, xs...) = directed(op, RoundUp, xs...)

const Plain = Union{Int, Float64}
ends(a::Interval) = (a.lo, a.hi)
ends(x::Plain) = (Float64(x), Float64(x))

times(x, y) = iszero(x) || iszero(y) ? zero(x) : x * y
over(x, y) = isinf(y) ? zero(x) : x / y
corners(op, a, b) = Interval(
    minimum(down(op, x, y) for x in ends(a) for y in ends(b)),
    maximum(up(op, x, y) for x in ends(a) for y in ends(b)),
)

sum_of(a, b) = Interval(down(+, ends(a)[1], ends(b)[1]), up(+, ends(a)[2], ends(b)[2]))
difference(a, b) = Interval(down(-, ends(a)[1], ends(b)[2]), up(-, ends(a)[2], ends(b)[1]))
product(a, b) = corners(times, a, b)

function quotient(a, b)
    ends(b)[1] <= 0 <= ends(b)[2] && throw(DomainError(b, "the divisor contains 0"))
    return corners(over, a, b)
end

for (op, f) in ((:+, :sum_of), (:-, :difference), (:*, :product), (:/, :quotient))
    @eval Base.$op(a::Interval, b::Interval) = $f(a, b)
    @eval Base.$op(a::Interval, b::Plain) = $f(a, b)
    @eval Base.$op(a::Plain, b::Interval) = $f(a, b)
end

Base.:-(a::Interval) = Interval(-a.hi, -a.lo)

function Base.sqrt(a::Interval)
    a.lo >= 0 || throw(DomainError(a, "the interval contains negative numbers"))
    return Interval(down(sqrt, a.lo), up(sqrt, a.hi))
end

function Base.:^(a::Interval, n::Integer)
    n == 0 && return Interval(1)
    isodd(n) && return Interval(down(x -> x^n, a.lo), up(x -> x^n, a.hi))
    least, largest = minmax(abs(a.lo), abs(a.hi))
    return Interval(a.lo <= 0 <= a.hi ? 0 : down(x -> x^n, least), up(x -> x^n, largest))
end

Base.:(==)(a::Interval, b::Interval) = a.lo == b.lo && a.hi == b.hi
