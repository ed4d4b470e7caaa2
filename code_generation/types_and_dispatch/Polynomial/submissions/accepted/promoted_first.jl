# Converts both operands to the common type first, and evaluates with Horner's rule in a loop.
struct Polynomial{T<:Number}
    coefficients::Vector{T}
    function Polynomial{T}(c::AbstractVector) where {T<:Number}
        v = Vector{T}(undef, length(c))
        copyto!(v, c)
        while !isempty(v) && iszero(v[end])
            pop!(v)
        end
        new{T}(v)
    end
end
Polynomial(c::AbstractVector{T}) where {T<:Number} = Polynomial{T}(c)
degree(p::Polynomial) = lastindex(p.coefficients) - 1
function (p::Polynomial)(x::Number)
    y = zero(eltype(p.coefficients)) * zero(x)
    for c in Iterators.reverse(p.coefficients)
        y = y * x + c
    end
    return y
end
import Base: +, -, *, ==, hash
common(p::Polynomial{S}, q::Polynomial{T}) where {S, T} = promote_type(S, T)
function added(p, q, sign)
    R = common(p, q)
    out = zeros(R, max(length(p.coefficients), length(q.coefficients)))
    for (i, c) in pairs(p.coefficients); out[i] += c; end
    for (i, c) in pairs(q.coefficients); out[i] += sign * c; end
    Polynomial{R}(out)
end
+(p::Polynomial, q::Polynomial) = added(p, q, 1)
-(p::Polynomial, q::Polynomial) = added(p, q, -1)
function *(p::Polynomial, q::Polynomial)
    R = common(p, q)
    (degree(p) < 0 || degree(q) < 0) && return Polynomial{R}(R[])
    out = zeros(R, degree(p) + degree(q) + 1)
    for i in 0:degree(p), j in 0:degree(q)
        out[i+j+1] += p.coefficients[i+1] * q.coefficients[j+1]
    end
    Polynomial{R}(out)
end
*(p::Polynomial{T}, c::C) where {T, C<:Number} = Polynomial{promote_type(T, C)}(p.coefficients .* c)
*(c::Number, p::Polynomial) = p * c
derivative(p::Polynomial{T}) where {T} = Polynomial{T}(collect(1:degree(p)) .* p.coefficients[2:end])
==(p::Polynomial, q::Polynomial) = p.coefficients == q.coefficients
hash(p::Polynomial, h::UInt) = hash(p.coefficients, h)
