# Powers by squaring, without a square that is not needed.
const Plain = Base.BitInteger

struct Checked{T<:Plain} <: Integer
    value::T
    Checked{T}(x::T) where {T<:Plain} = new{T}(x)
end

unchecked(c::Checked) = c.value
Checked(x::T) where {T<:Plain} = Checked{T}(x)
Checked(c::Checked) = c
Checked{T}(c::Checked{T}) where {T<:Plain} = c
Checked{T}(c::Checked) where {T<:Plain} = Checked{T}(T(c.value))
Checked{T}(x::Real) where {T<:Plain} = Checked{T}(T(x))
Checked{T}(x::Rational) where {T<:Plain} = Checked{T}(T(x))
Checked{T}(x::BigFloat) where {T<:Plain} = Checked{T}(T(x))

overflow(x) = throw(OverflowError("the result does not fit: $x"))
fitting(::Type{T}, x) where {T} = typemin(T) <= x <= typemax(T) ? Checked{T}(x % T) : overflow(x)

(::Type{T})(c::Checked) where {T<:Union{Plain,Float16,Float32,Float64}} = T(c.value)
Base.Bool(c::Checked) = Bool(c.value)
Base.BigInt(c::Checked) = BigInt(c.value)
Base.BigFloat(c::Checked) = BigFloat(c.value)
Base.AbstractFloat(c::Checked) = float(c.value)
Base.Integer(c::Checked) = c
Base.big(c::Checked) = big(c.value)
Base.rem(c::Checked, ::Type{T}) where {T<:Plain} = c.value % T
Base.rem(c::Checked, ::Type{Bool}) = c.value % Bool
Base.rem(c::Checked, ::Type{BigInt}) = big(c.value)
Base.rem(c::Checked{T}, ::Type{Checked{T}}) where {T<:Plain} = c
Base.rem(x::Integer, ::Type{Checked{T}}) where {T<:Plain} = Checked{T}(x % T)
Base.Char(c::Checked) = Char(c.value)
Base.widen(::Type{Checked{T}}) where {T<:Plain} = sizeof(T) == 16 ? BigInt : Checked{widen(T)}

Base.promote_rule(::Type{Checked{S}}, ::Type{Checked{T}}) where {S<:Plain,T<:Plain} = Checked{promote_type(S, T)}
Base.promote_rule(::Type{Checked{S}}, ::Type{T}) where {S<:Plain,T<:Plain} = Checked{promote_type(S, T)}
Base.promote_rule(::Type{Checked{S}}, ::Type{Bool}) where {S<:Plain} = Checked{S}
Base.promote_rule(::Type{<:Checked}, ::Type{F}) where {F<:Union{Float16,Float32,Float64}} = F
Base.promote_rule(::Type{BigInt}, ::Type{<:Checked}) = BigInt
Base.promote_rule(::Type{BigFloat}, ::Type{<:Checked}) = BigFloat

# Operations of two numbers: on the same type by a function of both plain integers, else on big integers.
exact_div(a::T, b::T) where {T} = b == -1 ? Base.checked_neg(a) : div(a, b)
exact_rem(a::T, b::T) where {T} = b == -1 ? zero(T) : rem(a, b)
exact_mod(a::T, b::T) where {T} = b == -1 ? zero(T) : mod(a, b)
exact_fld(a::T, b::T) where {T} = b == -1 ? Base.checked_neg(a) : fld(a, b)
exact_cld(a::T, b::T) where {T} = b == -1 ? Base.checked_neg(a) : cld(a, b)
exact_gcd(a::T, b::T) where {T} = iszero(b) ? Base.checked_abs(a) : exact_gcd(b, exact_rem(a, b))
function exact_lcm(a::T, b::T) where {T}
    (iszero(a) || iszero(b)) && return zero(T)
    # The gcd itself need not fit, if both are the least number: then neither does this.
    return Base.checked_abs(Base.checked_mul(a, exact_div(b, exact_gcd(a, b))))
end
for (op, exact) in (
    (:+, :(Base.checked_add)), (:-, :(Base.checked_sub)), (:*, :(Base.checked_mul)), (:div, :exact_div), (:rem, :exact_rem), (:mod, :exact_mod),
    (:fld, :exact_fld), (:cld, :exact_cld), (:gcd, :exact_gcd), (:lcm, :exact_lcm), (:&, :&), (:|, :|), (:⊻, :⊻),
)
    @eval begin
        Base.$op(a::Checked{T}, b::Checked{T}) where {T<:Plain} = Checked{T}($exact(a.value, b.value))
        Base.$op(a::Checked{S}, b::Checked{T}) where {S<:Plain,T<:Plain} = fitting(promote_type(S, T), $op(big(a.value), big(b.value)))
        Base.$op(a::Checked, b::Plain) = $op(a, Checked(b))
        Base.$op(a::Plain, b::Checked) = $op(Checked(a), b)
    end
end
Base.divrem(a::Checked, b::Checked) = (div(a, b), rem(a, b))
Base.fldmod(a::Checked, b::Checked) = (fld(a, b), mod(a, b))
for op in (:divrem, :fldmod)
    @eval Base.$op(a::Checked, b::Plain) = $op(a, Checked(b))
    @eval Base.$op(a::Plain, b::Checked) = $op(Checked(a), b)
end
Base.:-(a::Checked{T}) where {T<:Plain} = Checked{T}(Base.checked_sub(zero(T), a.value))
Base.:~(a::Checked{T}) where {T<:Plain} = Checked{T}(~a.value)
Base.abs(a::Checked{T}) where {T<:Plain} = Checked{T}(Base.checked_abs(a.value))

# What Base calls where it checks by itself: in ratios and in sorting.
Base.checked_add(a::T, b::T) where {T<:Checked} = a + b
Base.checked_sub(a::T, b::T) where {T<:Checked} = a - b
Base.checked_mul(a::T, b::T) where {T<:Checked} = a * b
Base.checked_neg(a::Checked) = -a
Base.checked_abs(a::Checked) = abs(a)
for (op, flagged) in ((:+, :(Base.add_with_overflow)), (:-, :(Base.sub_with_overflow)), (:*, :(Base.mul_with_overflow)))
    @eval function $flagged(a::Checked{T}, b::Checked{T}) where {T<:Plain}
        value, flag = $flagged(a.value, b.value)
        return Checked{T}(value), flag
    end
end

Base.:^(a::Checked, n::Integer) = power(a, n)
Base.:^(a::Checked, n::BigInt) = power(a, n)
Base.:^(a::Checked, n::Bool) = power(a, Int(n))
function power(a::Checked{T}, n) where {T<:Plain}
    isone(a.value) && return a
    a.value == -1 && return isodd(n) ? a : one(a)
    n < 0 && throw(DomainError(n, "a negative power of an integer"))
    iszero(n) && return one(a)
    iszero(a.value) && return a
    result, square, left = one(a), a, n
    while true
        isodd(left) && (result *= square)
        left >>= 1
        left > 0 || return result
        square *= square
    end
end
Base.:^(a::Plain, n::Checked) = a^n.value

function shifted(a::Checked{T}, n) where {T<:Plain}
    n <= 0 && return Checked{T}(n < -200 ? a.value >> 200 : a.value >> Int(-n))
    iszero(a.value) && return a
    n > 128 && overflow("a shift")
    return fits_shifted(a.value, Int(n)) ? Checked{T}(a.value << Int(n)) : overflow("a shift")
end
fits_shifted(x, n) = n < 8 * sizeof(x) && (x << n) >> n == x
for C in (:Int, :Unsigned, :Integer)
    @eval begin
        Base.:<<(a::Checked, n::$C) = shifted(a, as_places(n))
        Base.:>>(a::Checked, n::$C) = shifted(a, -as_places(n))
        Base.:>>>(a::Checked{T}, n::$C) where {T<:Plain} = n < 0 ? shifted(a, -as_places(n)) : Checked{T}(a.value >>> as_places(n))
    end
end
as_places(n) = n > 1000 ? 1000 : n < -1000 ? -1000 : Int(n)

# Comparison by plain integers, which compare exactly with one another and with floats.
const Others = Union{Plain,Bool,Float16,Float32,Float64}
for op in (:(==), :<, :<=, :isless)
    @eval begin
        Base.$op(a::Checked, b::Checked) = $op(a.value, b.value)
        Base.$op(a::Checked, b::Others) = $op(a.value, b)
        Base.$op(a::Others, b::Checked) = $op(a, b.value)
    end
end
Base.hash(a::Checked, h::UInt) = hash(a.value, h)

Base.typemin(::Type{Checked{T}}) where {T<:Plain} = Checked{T}(typemin(T))
Base.typemax(::Type{Checked{T}}) where {T<:Plain} = Checked{T}(typemax(T))
Base.zero(::Type{Checked{T}}) where {T<:Plain} = Checked{T}(zero(T))
Base.one(::Type{Checked{T}}) where {T<:Plain} = Checked{T}(one(T))
Base.sign(a::Checked{T}) where {T<:Plain} = Checked{T}(sign(a.value))
Base.signbit(a::Checked) = signbit(a.value)
Base.iseven(a::Checked) = iseven(a.value)
Base.isodd(a::Checked) = isodd(a.value)
Base.count_ones(a::Checked) = count_ones(a.value)
Base.leading_zeros(a::Checked) = leading_zeros(a.value)
Base.trailing_zeros(a::Checked) = trailing_zeros(a.value)
Base.ndigits(a::Checked; options...) = ndigits(a.value; options...)
Base.digits(a::Checked; options...) = digits(a.value; options...)
Base.isqrt(a::Checked) = Checked(isqrt(a.value))
function Base.powermod(a::Checked{T}, n::Integer, m::Checked{T}) where {T<:Plain}
    return fitting(T, powermod(big(a.value), big(n), big(m.value)))
end

Base.string(a::Checked; options...) = string(a.value; options...)
Base.show(io::IO, a::Checked) = print(io, a.value)
Base.print(io::IO, a::Checked) = print(io, a.value)
Base.parse(::Type{Checked{T}}, s::AbstractString; base = 10) where {T<:Plain} = Checked(parse(T, s; base = base))
function Base.tryparse(::Type{Checked{T}}, s::AbstractString; base = 10) where {T<:Plain}
    x = tryparse(T, s; base = base)
    return x === nothing ? nothing : Checked(x)
end
