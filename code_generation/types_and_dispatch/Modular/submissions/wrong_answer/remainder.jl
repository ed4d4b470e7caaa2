# Takes the remainder, which is negative for negative numbers.
struct Modular{M} <: Number
    value::Int

    function Modular{M}(x::Integer) where {M}
        M isa Int && M >= 1 || throw(ArgumentError("a modulus is an Int and at least 1, not $M"))
        return new{M}(rem(x, M))
    end
end

Base.promote_rule(::Type{Modular{M}}, ::Type{<:Integer}) where {M} = Modular{M}

Base.:+(a::Modular{M}, b::Modular{M}) where {M} = Modular{M}(widen(a.value) + b.value)
Base.:-(a::Modular{M}, b::Modular{M}) where {M} = Modular{M}(a.value - b.value)
Base.:*(a::Modular{M}, b::Modular{M}) where {M} = Modular{M}(widemul(a.value, b.value))
Base.:/(a::Modular{M}, b::Modular{M}) where {M} = a * inv(b)

for op in (:+, :-, :*, :/)
    @eval Base.$op(a::Modular{M}, b::Modular{N}) where {M, N} =
        throw(ArgumentError("cannot combine values modulo $M and modulo $N"))
end

Base.:-(a::Modular{M}) where {M} = Modular{M}(-a.value)
Base.inv(a::Modular{M}) where {M} = Modular{M}(invmod(a.value, M))
Base.:^(a::Modular, k::Integer) = k < 0 ? Base.power_by_squaring(inv(a), -k) : Base.power_by_squaring(a, k)

Base.show(io::IO, a::Modular{M}) where {M} = print(io, a.value, " (mod ", M, ")")
