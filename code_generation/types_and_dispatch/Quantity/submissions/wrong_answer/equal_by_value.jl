# Compares the values only.
struct DimensionError <: Exception
    message::String
end
Base.showerror(io::IO, e::DimensionError) = print(io, "DimensionError: ", e.message)

# D holds the exponents of metre, kilogram and second; they are never all zero.
struct Quantity{D,T<:Real} <: Number
    value::T
end

Quantity{D,T}(q::Quantity{D}) where {D,T<:Real} = Quantity{D,T}(convert(T, q.value))
Quantity{D,T}(q::Quantity) where {D,T<:Real} = mismatch()
Base.convert(::Type{<:Quantity}, ::Real) = mismatch()

const METRE = Quantity{(1, 0, 0),Int}(1)
const KILOGRAM = Quantity{(0, 1, 0),Int}(1)
const SECOND = Quantity{(0, 0, 1),Int}(1)

value(q::Quantity) = q.value
value(x::Real) = x
dimension(::Quantity{D}) where {D} = D
dimension(::Real) = (0, 0, 0)

@noinline mismatch() = throw(DimensionError("quantities of different dimensions"))

# A number with these exponents; an ordinary one if they are all zero.
with(::Val{(0, 0, 0)}, x) = x
with(::Val{D}, x::T) where {D,T} = Quantity{D,T}(x)

@generated times(::Val{D}, ::Val{E}) where {D,E} = Val(D .+ E)
@generated over(::Val{D}, ::Val{E}) where {D,E} = Val(D .- E)
@generated power(::Val{D}, ::Val{N}) where {D,N} = Val(D .* N)
@generated function root(::Val{D}) where {D}
    return all(iseven, D) ? Val(D .÷ 2) : :(throw(DimensionError("no square root of odd exponents")))
end

Base.:*(a::Quantity{D}, b::Quantity{E}) where {D,E} = with(times(Val(D), Val(E)), a.value * b.value)
Base.:*(a::Quantity{D}, x::Real) where {D} = with(Val(D), a.value * x)
Base.:*(x::Real, a::Quantity{D}) where {D} = with(Val(D), x * a.value)
Base.:/(a::Quantity{D}, b::Quantity{E}) where {D,E} = with(over(Val(D), Val(E)), a.value / b.value)
Base.:/(a::Quantity{D}, x::Real) where {D} = with(Val(D), a.value / x)
Base.:/(x::Real, a::Quantity{D}) where {D} = with(power(Val(D), Val(-1)), x / a.value)
Base.inv(a::Quantity) = 1 / a

# Bool is a number of its own for Base's products.
Base.:*(a::Quantity{D}, x::Bool) where {D} = with(Val(D), a.value * x)
Base.:*(x::Bool, a::Quantity{D}) where {D} = with(Val(D), x * a.value)

for op in (:+, :-)
    @eval Base.$op(a::Quantity{D}, b::Quantity{D}) where {D} = with(Val(D), $op(a.value, b.value))
    @eval Base.$op(::Quantity, ::Quantity) = mismatch()
    @eval Base.$op(::Quantity, ::Real) = mismatch()
    @eval Base.$op(::Real, ::Quantity) = mismatch()
    @eval Base.$op(a::Quantity{D}) where {D} = with(Val(D), $op(a.value))
end
Base.:+(::Bool, ::Quantity) = mismatch()
Base.:+(::Quantity, ::Bool) = mismatch()

# A literal exponent is known to the compiler, any other is not.
Base.literal_pow(::typeof(^), a::Quantity{D}, ::Val{N}) where {D,N} = with(power(Val(D), Val(N)), raised(a.value, Val(N)))
raised(x, ::Val{N}) where {N} = N < 0 ? inv(float(x))^-N : x^N
Base.:^(a::Quantity{D}, n::Integer) where {D} = with(Val(D .* Int(n)), n < 0 ? inv(float(a.value))^-n : a.value^n)
Base.sqrt(a::Quantity{D}) where {D} = with(root(Val(D)), sqrt(a.value))
Base.abs(a::Quantity{D}) where {D} = with(Val(D), abs(a.value))
Base.abs2(a::Quantity) = a * a

Base.zero(::Type{Quantity{D,T}}) where {D,T} = Quantity{D,T}(zero(T))
Base.zero(a::Quantity) = zero(typeof(a))
Base.one(::Type{Quantity{D,T}}) where {D,T} = one(T)
Base.one(a::Quantity) = one(typeof(a))
Base.iszero(a::Quantity) = iszero(a.value)
Base.isfinite(a::Quantity) = isfinite(a.value)
Base.isnan(a::Quantity) = isnan(a.value)

for op in (:<, :<=, :isless)
    @eval Base.$op(a::Quantity{D}, b::Quantity{D}) where {D} = $op(a.value, b.value)
    @eval Base.$op(::Quantity, ::Quantity) = mismatch()
    @eval Base.$op(::Quantity, ::Real) = mismatch()
    @eval Base.$op(::Real, ::Quantity) = mismatch()
end

for op in (:(==), :isequal)
    @eval Base.$op(a::Quantity{D}, b::Quantity{D}) where {D} = $op(a.value, b.value)
    @eval Base.$op(a::Quantity, b::Quantity) = $op(a.value, b.value)
    @eval Base.$op(::Quantity, ::Number) = false
    @eval Base.$op(::Number, ::Quantity) = false
end
Base.hash(a::Quantity{D}, h::UInt) where {D} = hash(a.value, hash(D, hash(:Quantity, h)))

Base.promote_rule(::Type{Quantity{D,T}}, ::Type{Quantity{D,S}}) where {D,T,S} = Quantity{D,promote_type(T, S)}

function Base.show(io::IO, a::Quantity{D}) where {D}
    print(io, a.value)
    for (name, exponent) in zip(("m", "kg", "s"), D)
        exponent == 0 || print(io, " ", name, exponent == 1 ? "" : "^$exponent")
    end
end
