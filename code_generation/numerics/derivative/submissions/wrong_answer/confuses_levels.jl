# One kind of dual number for all: nested derivatives take each other's slopes.
# A number value + slope * ε of one call of derivative. Each call has a level of its own, and calls within it have higher
# ones; a number of a lower level is a constant for it. Level 0 is for numbers that are constant for all.
struct Dual <: Real
    level::Int
    value::Real
    slope::Real
end

const LEVELS = Ref(0)

function derivative(f, x::Real)
    level = 1
    start = x isa Integer ? float(x) : x
    _, slope = parts(convert(Dual, f(Dual(level, start, one(start)))), level)
    return slope
end

Base.convert(::Type{Dual}, x::Dual) = x
Base.convert(::Type{Dual}, x::Real) = Dual(0, x, 0)
Base.promote_rule(::Type{Dual}, ::Type{<:Real}) = Dual

# Value and slope as they are seen from a level; the slope of a constant is the Int 0.
function parts(a::Dual, level)
    a.level == level && return a.value, a.slope
    return a.level == 0 ? a.value : a, 0
end

function combine(rule, a::Dual, b::Dual)
    level = max(a.level, b.level)
    return Dual(level, rule(parts(a, level)..., parts(b, level)...)...)
end

Base.:+(a::Dual, b::Dual) = combine((x, dx, y, dy) -> (x + y, dx + dy), a, b)
Base.:-(a::Dual, b::Dual) = combine((x, dx, y, dy) -> (x - y, dx - dy), a, b)
Base.:*(a::Dual, b::Dual) = combine((x, dx, y, dy) -> (x * y, dx * y + x * dy), a, b)
Base.:/(a::Dual, b::Dual) = combine((x, dx, y, dy) -> (x / y, (dx * y - x * dy) / (y * y)), a, b)
Base.:-(a::Dual) = Dual(a.level, -a.value, -a.slope)
Base.:^(a::Dual, b::Dual) = combine(power, a, b)
Base.:^(a::Dual, n::Integer) = Dual(a.level, a.value^n, n == 0 ? 0 : n * a.value^(n - 1) * a.slope)

function power(x, dx, y, dy)
    value = x^y
    dy === 0 && return value, y * x^(y - 1) * dx
    return value, y * x^(y - 1) * dx + log(x) * value * dy
end

for (f, slope) in (
    (:sqrt, :(1 / (2 * value))), (:exp, :value), (:log, :(1 / x)), (:sin, :(cos(x))), (:cos, :(-sin(x))),
)
    @eval function Base.$f(a::Dual)
        x = a.value
        value = $f(x)
        return Dual(a.level, value, $slope * a.slope)
    end
end

plain(a::Dual) = plain(a.value)
plain(x) = x
for op in (:<, :<=, :(==))
    @eval Base.$op(a::Dual, b::Dual) = $op(plain(a), plain(b))
end
Base.isless(a::Dual, b::Dual) = isless(plain(a), plain(b))
