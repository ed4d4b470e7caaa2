# The exponents as three parameters of the type, and everything by them.
struct DimensionError <: Exception end

struct Quantity{L,M,S,T<:Real} <: Number
    value::T
    Quantity{L,M,S,T}(x::Real) where {L,M,S,T<:Real} = new{L,M,S,T}(x)
end
Quantity{L,M,S}(x::T) where {L,M,S,T<:Real} = Quantity{L,M,S,T}(x)
Quantity{0,0,0}(x::Real) = x
Quantity{L,M,S,T}(q::Quantity{L,M,S}) where {L,M,S,T<:Real} = Quantity{L,M,S,T}(q.value)
Quantity{L,M,S,T}(q::Quantity) where {L,M,S,T<:Real} = throw(DimensionError())

Base.convert(::Type{<:Quantity}, ::Real) = throw(DimensionError())

const METRE = Quantity{1,0,0}(1)
const KILOGRAM = Quantity{0,1,0}(1)
const SECOND = Quantity{0,0,1}(1)

value(q) = q isa Quantity ? q.value : q
dimension(q) = (0, 0, 0)
dimension(::Quantity{L,M,S}) where {L,M,S} = (L, M, S)

@generated function combine(x, ::Quantity{L,M,S}, ::Val{a}, ::Quantity{P,Q,R}, ::Val{b}) where {L,M,S,P,Q,R,a,b}
    return :(Quantity{$(a * L + b * P),$(a * M + b * Q),$(a * S + b * R)}(x))
end
@generated combine(x, ::Quantity{L,M,S}, ::Val{a}) where {L,M,S,a} = :(Quantity{$(a * L),$(a * M),$(a * S)}(x))

Base.:*(p::Quantity, q::Quantity) = combine(p.value * q.value, p, Val(1), q, Val(1))
Base.:/(p::Quantity, q::Quantity) = combine(p.value / q.value, p, Val(1), q, Val(-1))
Base.:*(p::Quantity, x::Real) = combine(p.value * x, p, Val(1))
Base.:*(x::Real, p::Quantity) = combine(x * p.value, p, Val(1))
Base.:*(p::Quantity, x::Bool) = combine(p.value * x, p, Val(1))
Base.:*(x::Bool, p::Quantity) = combine(x * p.value, p, Val(1))
Base.:/(p::Quantity, x::Real) = combine(p.value / x, p, Val(1))
Base.:/(x::Real, p::Quantity) = combine(x / p.value, p, Val(-1))
Base.inv(p::Quantity) = combine(inv(p.value), p, Val(-1))

power(x, n) = n >= 0 ? x^n : (1 / x)^-n
@generated function Base.literal_pow(::typeof(^), p::Quantity, ::Val{n}) where {n}
    return :(combine($(n >= 0 ? :(p.value^$n) : :((1 / p.value)^$(-n))), p, Val($n)))
end
Base.:^(p::Quantity, n::Integer) = combine(power(p.value, n), p, Val(Int(n)))
@generated function Base.sqrt(p::Quantity{L,M,S}) where {L,M,S}
    any(isodd, (L, M, S)) && return :(throw(DimensionError()))
    return :(Quantity{$(L ÷ 2),$(M ÷ 2),$(S ÷ 2)}(sqrt(p.value)))
end
for f in (:+, :-, :abs)
    @eval Base.$f(p::Quantity) = combine($f(p.value), p, Val(1))
end
Base.abs2(p::Quantity) = p * p

for f in (:+, :-, :<, :<=, :isless)
    wrap = f in (:+, :-) ? :(combine(r, p, Val(1))) : :r
    @eval function Base.$f(p::Quantity{L,M,S}, q::Quantity{L,M,S}) where {L,M,S}
        r = $f(p.value, q.value)
        return $wrap
    end
    @eval Base.$f(p::Quantity, q::Quantity) = throw(DimensionError())
    @eval Base.$f(p::Quantity, x::Real) = throw(DimensionError())
    @eval Base.$f(x::Real, p::Quantity) = throw(DimensionError())
end
Base.:+(p::Quantity, x::Bool) = throw(DimensionError())
Base.:+(x::Bool, p::Quantity) = throw(DimensionError())

for f in (:(==), :isequal)
    @eval Base.$f(p::Quantity, q::Quantity) = dimension(p) == dimension(q) && $f(p.value, q.value)
    @eval Base.$f(p::Quantity, x::Number) = false
    @eval Base.$f(x::Number, p::Quantity) = false
end
Base.hash(p::Quantity, h::UInt) = hash((p.value, dimension(p)), h)

Base.zero(::Type{Quantity{L,M,S,T}}) where {L,M,S,T} = Quantity{L,M,S}(zero(T))
Base.zero(p::Quantity) = zero(typeof(p))
Base.one(::Type{Quantity{L,M,S,T}}) where {L,M,S,T} = one(T)
Base.one(p::Quantity) = one(p.value)
for f in (:iszero, :isfinite, :isnan)
    @eval Base.$f(p::Quantity) = $f(p.value)
end
Base.promote_rule(::Type{Quantity{L,M,S,T}}, ::Type{Quantity{L,M,S,U}}) where {L,M,S,T,U} = Quantity{L,M,S,promote_type(T, U)}

function Base.show(io::IO, p::Quantity)
    units = [n == 1 ? name : "$name^$n" for (name, n) in zip(["m", "kg", "s"], dimension(p)) if n != 0]
    print(io, join([string(p.value); units], " "))
end
