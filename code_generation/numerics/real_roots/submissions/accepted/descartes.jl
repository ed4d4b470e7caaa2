# Isolates roots by Descartes' rule of signs on halves of an interval, instead of by Sturm chains.
real_roots(coefficients) = real_roots(Float64, coefficients)

function real_roots(::Type{T}, coefficients) where {T<:Union{Float16,Float32,Float64}}
    p = integers([exact(c) for c in coefficients])
    isempty(p) && throw(ArgumentError("every number is a root"))
    found = Tuple{Isolated,Int}[]
    for (factor, multiplicity) in square_free_factors(p)
        append!(found, [(root, multiplicity) for root in isolated_roots(factor)])
    end
    sort!(found; lt = (a, b) -> is_less(a[1], b[1]))
    return Pair{T,Int}[rounded(T, root) => multiplicity for (root, multiplicity) in found]
end

function exact(c::Real)
    isfinite(c) || throw(ArgumentError("no coefficient: $c"))
    return c isa BigFloat ? setprecision(() -> Rational{BigInt}(c), BigFloat, precision(c)) : Rational{BigInt}(c)
end

# Polynomials are vectors of integers without a common factor, the constant term first and the last not zero.
function integers(p)
    n = findlast(!iszero, p)
    n === nothing && return BigInt[]
    q = p[1:n] .* foldl(lcm, denominator.(p[1:n]); init = big(1))
    return numerator.(q .// foldl(gcd, numerator.(q)))
end

derivative(p) = BigInt[k * p[k+1] for k in 1:length(p)-1]

# The quotient and the remainder, up to a positive factor.
function divided(p, q)
    r = Rational{BigInt}.(p)
    quotient = zeros(Rational{BigInt}, max(length(p) - length(q) + 1, 0))
    for k in length(quotient):-1:1
        quotient[k] = r[k+length(q)-1] / q[end]
        r[k:k+length(q)-1] .-= quotient[k] .* q
    end
    return with_sign(quotient), with_sign(r)
end
function with_sign(p)
    q = integers(p)
    isempty(q) && return q
    return sign(q[end]) == sign(p[findlast(!iszero, p)]) ? q : -q
end
function common(p, q)
    while !isempty(q)
        p, q = q, divided(p, q)[2]
    end
    return p
end

# Yun: factors whose roots are those of each multiplicity.
function square_free_factors(p)
    factors = Tuple{Vector{BigInt},Int}[]
    rest = p
    shared = common(p, integers(derivative(p)))
    k = 1
    radical = divided(rest, shared)[1]
    while length(radical) > 1
        next = common(radical, shared)
        factor = divided(radical, next)[1]
        length(factor) > 1 && push!(factors, (factor, k))
        shared = divided(shared, next)[1]
        radical = next
        k += 1
    end
    return factors
end

# One root of a polynomial without multiple roots: exactly low, if low == high, or the only one between them.
mutable struct Isolated
    p::Vector{BigInt}
    low::Rational{BigInt}
    high::Rational{BigInt}
end

value(p, x::Rational) = (n = numerator(x); d = denominator(x); scaled_value(p, n, d))
# The value times a positive number, in integers.
function scaled_value(p, n, d)
    v, power = p[end], big(1)
    for k in length(p)-1:-1:1
        power *= d
        v = v * n + p[k] * power
    end
    return v
end

function sturm_chain(p)
    chain = [p, derivative(p)]
    while true
        r = divided(chain[end-1], chain[end])[2]
        isempty(r) && return chain
        push!(chain, -r)
    end
end
function sign_changes(chain, x)
    signs = filter(!iszero, [sign(value(p, x)) for p in chain])
    return count(k -> signs[k] != signs[k+1], 1:length(signs)-1)
end

function isolated_roots(p)
    bound = big(2)^(1 + ndigits(ceil(BigInt, 1 + maximum(abs, p) // abs(p[end])); base = 2)) // 1
    found = Isolated[]
    isolate!(found, p, -bound, bound)
    return found
end
# The roots between low and high, and high itself.
function isolate!(found, p, low, high)
    n = changes_between(p, low, high)
    at_end = iszero(value(p, high))
    if n == 0
        at_end && push!(found, Isolated(p, high, high))
        return
    elseif n == 1 && !at_end
        push!(found, settle(Isolated(p, low, high)))
        return
    end
    middle = (low + high) / 2
    isolate!(found, p, low, middle)
    isolate!(found, p, middle, high)
end
# Sign changes of (1 + x)^n p((low + high x) / (1 + x)), which count the roots between both, or more by an even number.
function changes_between(p, low, high)
    q = Rational{BigInt}.(p)
    shift!(q, low)
    q .*= (high - low) .^ (0:length(q)-1)
    reverse!(q)
    shift!(q, big(1) // 1)
    signs = filter(!iszero, sign.(q))
    return count(k -> signs[k] != signs[k+1], 1:length(signs)-1)
end
function shift!(q, a)
    for i in 1:length(q)-1, k in length(q)-1:-1:i
        q[k] += a * q[k+1]
    end
end
# Without a root at one of the ends.
function settle(r::Isolated)
    iszero(value(r.p, r.high)) && (r.low = r.high)
    while r.low != r.high && iszero(value(r.p, r.low))
        narrow!(r, (r.low + r.high) / 2)
    end
    return r
end
# Where the root is, compared with x: -1 below, 0 there, 1 above. Makes the bounds narrower.
function narrow!(r::Isolated, x)
    x <= r.low && return r.low == r.high == x ? 0 : 1
    x >= r.high && return -1
    v = value(r.p, x)
    if iszero(v)
        r.low = r.high = x
        return 0
    end
    # Next to the upper end the sign is that at the upper end.
    if sign(v) == sign(value(r.p, r.high))
        r.high = x
        return -1
    end
    r.low = x
    return 1
end

function is_less(a::Isolated, b::Isolated)
    while !(a.high < b.low || b.high < a.low)
        a.low == a.high && b.low == b.high && return a.low < b.low
        for r in (a, b)
            r.low == r.high || narrow!(r, (r.low + r.high) / 2)
        end
        # Different factors have no root in common, so that the bounds part in the end.
        (a.high <= b.low && !(a.low == a.high == b.low)) && return true
        (b.high <= a.low && !(b.low == b.high == a.low)) && return false
    end
    return a.high < b.low
end

# Bisects the floats themselves. The bits of those that are not negative are in the order of their values.
function rounded(::Type{T}, r::Isolated) where {T}
    c = narrow!(r, big(0) // 1)
    c == 0 && return zero(T)
    sign = c
    U = T == Float64 ? UInt64 : T == Float32 ? UInt32 : UInt16
    low, high = zero(U), reinterpret(U, T(Inf))        # the root is not below low, and below high
    float(u) = reinterpret(T, u)
    while high - low > 1
        middle = low + (high - low) >> 1
        side = sign * narrow!(r, sign * Rational{BigInt}(float(middle)))
        side >= 0 ? (low = middle) : (high = middle)
    end
    half = isinf(float(high)) ? Rational{BigInt}(float(low)) + Rational{BigInt}(eps(float(low))) / 2 : (Rational{BigInt}(float(low)) + Rational{BigInt}(float(high))) / 2
    side = sign * narrow!(r, sign * half)
    u = side > 0 || (side == 0 && isodd(low)) ? high : low
    return sign * float(u)
end
