# Operators for one coefficient type only, without promotion.
struct Polynomial{T <: Number}
    coefficients::Vector{T}

    function Polynomial(coefficients::AbstractVector{T}) where {T <: Number}
        highest = findlast(!iszero, coefficients)
        return new{T}(highest === nothing ? T[] : coefficients[1:highest])
    end
end

degree(p::Polynomial) = length(p.coefficients) - 1

(p::Polynomial{T})(x::Number) where {T} =
    foldr((c, value) -> c + x * value, p.coefficients; init = zero(T) * zero(x))

coefficient(p::Polynomial{T}, i) where {T} = i > length(p.coefficients) ? zero(T) : p.coefficients[i]

function combine(op, p::Polynomial{S}, q::Polynomial{T}) where {S, T}
    n = max(length(p.coefficients), length(q.coefficients))
    return Polynomial(promote_type(S, T)[op(coefficient(p, i), coefficient(q, i)) for i in 1:n])
end

Base.:+(p::Polynomial{T}, q::Polynomial{T}) where {T} = combine(+, p, q)
Base.:-(p::Polynomial{T}, q::Polynomial{T}) where {T} = combine(-, p, q)

function Base.:*(p::Polynomial{S}, q::Polynomial{T}) where {S, T}
    product = zeros(promote_type(S, T), length(p.coefficients) + length(q.coefficients))
    for (i, a) in enumerate(p.coefficients), (j, b) in enumerate(q.coefficients)
        product[i + j - 1] += a * b
    end
    return Polynomial(product)
end

Base.:*(c::Number, p::Polynomial) = Polynomial([c]) * p
Base.:*(p::Polynomial, c::Number) = p * Polynomial([c])

derivative(p::Polynomial{T}) where {T} = Polynomial(T[i * p.coefficients[i + 1] for i in 1:degree(p)])

Base.:(==)(p::Polynomial, q::Polynomial) = p.coefficients == q.coefficients
Base.hash(p::Polynomial, h::UInt) = hash(p.coefficients, hash(:Polynomial, h))
