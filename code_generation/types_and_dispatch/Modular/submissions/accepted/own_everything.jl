# Calculates in BigInt, with methods for integers instead of promotion where it can, and its own powers.
struct Modular{M} <: Number
    value::Int
    function Modular{M}(x::Integer) where {M}
        isa(M, Int) || throw(ArgumentError("modulus must be an Int"))
        M > 0 || throw(ArgumentError("modulus must be positive"))
        new{M}(Int(mod(big(x), big(M))))
    end
end
modulus(::Modular{M}) where {M} = M
same(a, b) = modulus(a) == modulus(b) ? modulus(a) : throw(ArgumentError("different moduli"))
import Base: +, -, *, /, ^, ==, inv, zero, one, show, promote_rule
+(a::Modular, b::Modular) = Modular{same(a, b)}(big(a.value) + b.value)
-(a::Modular, b::Modular) = Modular{same(a, b)}(big(a.value) - b.value)
*(a::Modular, b::Modular) = Modular{same(a, b)}(big(a.value) * b.value)
-(a::Modular) = zero(a) - a
function inv(a::Modular{M}) where {M}
    g, x, _ = gcdx(big(a.value), big(M))
    g == 1 || throw(DomainError(a, "no inverse"))
    return Modular{M}(x)
end
/(a::Modular, b::Modular) = (same(a, b); a * inv(b))
for op in (:+, :-, :*, :/)
    @eval $op(a::Modular{M}, b::Integer) where {M} = $op(a, Modular{M}(b))
    @eval $op(a::Integer, b::Modular{M}) where {M} = $op(Modular{M}(a), b)
end
==(a::Modular{M}, b::Integer) where {M} = a == Modular{M}(b)
==(a::Integer, b::Modular) = b == a
==(a::Modular{M}, b::Modular{M}) where {M} = a.value == b.value
zero(::Type{Modular{M}}) where {M} = Modular{M}(0)
one(::Type{Modular{M}}) where {M} = Modular{M}(1)
zero(a::Modular) = zero(typeof(a))
one(a::Modular) = one(typeof(a))
promote_rule(::Type{Modular{M}}, ::Type{<:Integer}) where {M} = Modular{M}
function ^(a::Modular, k::Integer)
    k < 0 && return inv(a)^(-k)
    result = one(a)
    while k > 0
        isodd(k) && (result *= a)
        a *= a
        k >>= 1
    end
    result
end
show(io::IO, a::Modular{M}) where {M} = print(io, "$(a.value) (mod $M)")
