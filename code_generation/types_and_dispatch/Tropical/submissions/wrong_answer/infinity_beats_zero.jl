# The zero does not absorb an infinite value, which gives NaN.
using LinearAlgebra

struct Tropical <: Number
    value::Float64
    function Tropical(x::Real)
        isnan(x) && throw(ArgumentError("NaN is no tropical number"))
        return new(x)
    end
end

# LinearAlgebra takes true and false for one and zero whatever the type of the elements is. Other numbers do not convert.
Tropical(x::Bool) = x ? one(Tropical) : zero(Tropical)
Base.convert(::Type{Tropical}, x::Tropical) = x
Base.convert(::Type{Tropical}, x::Bool) = Tropical(x)
Base.convert(::Type{Tropical}, x::Number) = throw(ArgumentError("an ordinary number is no tropical one: $x"))
Base.promote_rule(::Type{Tropical}, ::Type{Bool}) = Tropical

Base.zero(::Type{Tropical}) = Tropical(-Inf)
Base.zero(::Tropical) = Tropical(-Inf)
Base.one(::Type{Tropical}) = Tropical(0.0)
Base.one(::Tropical) = Tropical(0.0)
Base.:+(a::Tropical, b::Tropical) = Tropical(max(a.value, b.value))
Base.:*(a::Tropical, b::Tropical) = Tropical(a.value + b.value)
function Base.inv(a::Tropical)
    isfinite(a.value) || throw(DivideError())
    return Tropical(-a.value)
end
Base.:/(a::Tropical, b::Tropical) = a * inv(b)
for P in (:Integer, :Rational, :Real)
    @eval Base.:^(a::Tropical, n::$P) = power(a, n)
end
function power(a, n)
    iszero(n) && return one(Tropical)
    n < 0 && return power(inv(a), -n)
    return Tropical(a.value * n)
end
Base.conj(a::Tropical) = a

Base.:(==)(a::Tropical, b::Tropical) = a.value == b.value
Base.:(==)(a::Tropical, b::Real) = false
Base.:(==)(a::Real, b::Tropical) = false
Base.:<(a::Tropical, b::Tropical) = a.value < b.value
Base.:<=(a::Tropical, b::Tropical) = a.value <= b.value
Base.isless(a::Tropical, b::Tropical) = a.value < b.value
Base.isequal(a::Tropical, b::Tropical) = a.value == b.value
Base.hash(a::Tropical, h::UInt) = hash(a.value + 0.0, hash(:Tropical, h))

function square_size(A)
    size(A, 1) == size(A, 2) || throw(DimensionMismatch("the matrix is not square: $(size(A))"))
    return size(A, 1)
end

function star(A::AbstractMatrix{Tropical})
    n = square_size(A)
    S = Tropical[A[i, j] for i in 1:n, j in 1:n]
    for k in 1:n
        S[k, k] > one(Tropical) && throw(DomainError(A, "a cycle has a positive weight"))
        for j in 1:n, i in 1:n
            S[i, j] += S[i, k] * S[k, j]
        end
    end
    for k in 1:n
        S[k, k] > one(Tropical) && throw(DomainError(A, "a cycle has a positive weight"))
        S[k, k] += one(Tropical)
    end
    return S
end

# Karp's theorem: the weights of the heaviest walks of 0 to n steps that end in each node, wherever they begin.
function cycle_mean(A::AbstractMatrix{Tropical})
    n = square_size(A)
    walks = [fill(one(Tropical), n)]
    for k in 1:n
        push!(walks, [sum(Tropical[walks[k][i] * A[i, j] for i in 1:n]) for j in 1:n])
    end
    best = -Inf
    for j in 1:n
        iszero(walks[n+1][j]) && continue
        best = max(best, minimum((walks[n+1][j].value - walks[k+1][j].value) / (n - k) for k in 0:n-1))
    end
    return best
end

function residual(A::AbstractMatrix{Tropical}, b::AbstractVector{Tropical})
    limit(a, c) = iszero(a) || c.value == Inf ? Inf : iszero(c) ? -Inf : c.value - a.value
    return [Tropical(reduce(min, [limit(A[i, j], b[i]) for i in axes(A, 1)]; init = Inf)) for j in axes(A, 2)]
end
