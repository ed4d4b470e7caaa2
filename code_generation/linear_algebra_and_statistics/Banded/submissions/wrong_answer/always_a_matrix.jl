# Every broadcast is an ordinary matrix.
using LinearAlgebra

Base.size(A::Banded) = (A.n, A.n)

@inline function Base.getindex(A::Banded{T}, i::Int, j::Int) where {T}
    @boundscheck checkbounds(A, i, j)
    return in_band(A, i, j) ? A.band[A.upper+1+i-j, j] : zero(T)
end

@inline function Base.setindex!(A::Banded, x, i::Int, j::Int)
    @boundscheck checkbounds(A, i, j)
    if in_band(A, i, j)
        A.band[A.upper+1+i-j, j] = x
    elseif !iszero(x)
        throw(ArgumentError("($i, $j) is outside of the band"))
    end
    return A
end

# All of the band is set, also the corners that are not used: they are copied and multiplied along.
function zero_band(::Type{T}, n, lower, upper) where {T}
    most = max(n - 1, 0)
    A = Banded{T}(undef, n, min(lower, most), min(upper, most))
    fill!(A.band, zero(T))
    return A
end

Base.similar(A::Banded, ::Type{T}) where {T} = Banded{T}(undef, A.n, A.lower, A.upper)
Base.similar(A::Banded, ::Type{T}, dims::Dims) where {T} = Array{T}(undef, dims)
function Base.copy(A::Banded{T}) where {T}
    B = zero_band(T, A.n, A.lower, A.upper)
    for j in 1:A.n, i in rows(A, j)
        B[i, j] = A[i, j]
    end
    return B
end

# A result whose elements in the band are those of f.
function by_elements(f, ::Type{T}, n, lower, upper) where {T}
    C = zero_band(T, n, lower, upper)
    for j in 1:n, i in rows(C, j)
        C[i, j] = f(i, j)
    end
    return C
end

for op in (:+, :-)
    @eval function Base.$op(A::Banded{S}, B::Banded{T}) where {S,T}
        A.n == B.n || throw(DimensionMismatch("matrices of orders $(A.n) and $(B.n)"))
        return by_elements((i, j) -> $op(A[i, j], B[i, j]), typeof($op(zero(S), zero(T))), A.n, max(A.lower, B.lower), max(A.upper, B.upper))
    end
end
mapped(f, A::Banded{T}) where {T} = by_elements((i, j) -> f(A[i, j]), typeof(f(one(T))), A.n, A.lower, A.upper)
Base.:-(A::Banded) = mapped(-, A)
Base.:*(c::Number, A::Banded) = mapped(x -> c * x, A)
Base.:*(A::Banded, c::Number) = mapped(x -> x * c, A)
Base.:/(A::Banded, c::Number) = mapped(x -> x / c, A)

Base.copy(A::Adjoint{<:Any,<:Banded}) = turned(adjoint, parent(A))
Base.copy(A::Transpose{<:Any,<:Banded}) = turned(transpose, parent(A))
turned(f, A::Banded{T}) where {T} = by_elements((i, j) -> f(A[j, i]), T, A.n, A.upper, A.lower)

function Base.:*(A::Banded{S}, B::Banded{T}) where {S,T}
    A.n == B.n || throw(DimensionMismatch("matrices of orders $(A.n) and $(B.n)"))
    C = zero_band(typeof(zero(S) * zero(T) + zero(S) * zero(T)), A.n, A.lower + B.lower, A.upper + B.upper)
    for j in 1:B.n, k in rows(B, j), i in rows(A, k)
        C[i, j] += A[i, k] * B[k, j]
    end
    return C
end

const TurnedBanded = Union{Adjoint{<:Any,<:Banded},Transpose{<:Any,<:Banded}}

product_type(A, x) = typeof(zero(eltype(A)) * zero(eltype(x)) + zero(eltype(A)) * zero(eltype(x)))
Base.:*(A::Banded, x::AbstractVector) = mul!(Vector{product_type(A, x)}(undef, A.n), A, x)
Base.:*(A::Adjoint{<:Any,<:Banded}, x::AbstractVector) = copy(A) * x
Base.:*(A::Transpose{<:Any,<:Banded}, x::AbstractVector) = copy(A) * x

function LinearAlgebra.mul!(y::AbstractVector, A::Banded, x::AbstractVector, alpha::Number, beta::Number)
    length(y) == A.n == length(x) || throw(DimensionMismatch("a matrix of order $(A.n)"))
    # What y holds does not matter if beta is zero, not even if it is NaN.
    iszero(beta) ? fill!(y, zero(eltype(y))) : (y .*= beta)
    for j in 1:A.n, i in rows(A, j)
        y[i] += A[i, j] * x[j] * alpha
    end
    return y
end
LinearAlgebra.mul!(y::AbstractVector, A::Banded, x::AbstractVector) = mul!(y, A, x, true, false)

# Broadcasts: banded if nothing but banded matrices and scalars take part and zeros give zero.
struct BandedStyle <: Broadcast.AbstractArrayStyle{2} end
BandedStyle(::Val{2}) = BandedStyle()
BandedStyle(::Val{N}) where {N} = Broadcast.DefaultArrayStyle{max(N, 2)}()
Base.BroadcastStyle(::Type{<:Banded}) = BandedStyle()
Base.BroadcastStyle(s::BandedStyle, ::Broadcast.DefaultArrayStyle{0}) = s
Base.BroadcastStyle(::BandedStyle, ::Broadcast.DefaultArrayStyle{N}) where {N} = Broadcast.DefaultArrayStyle{max(N, 2)}()
Base.BroadcastStyle(::BandedStyle, ::Broadcast.Style{Tuple}) = Broadcast.DefaultArrayStyle{2}()

matrices(bc::Broadcast.Broadcasted) = reduce(vcat, map(matrices, bc.args); init = Banded[])
matrices(A::Banded) = Banded[A]
matrices(x) = Banded[]
outside(bc::Broadcast.Broadcasted) = bc.f(map(outside, bc.args)...)
outside(A::Banded{T}) where {T} = zero(T)
outside(x::Ref) = x[]
outside(x) = x

function Base.copy(bc::Broadcast.Broadcasted{BandedStyle})
    all_of_them = matrices(bc)
    n = size(bc)[1]
    same = all(A -> A.n == n, all_of_them)
    beyond = same ? outside(bc) : nothing
    if true
        return copy(convert(Broadcast.Broadcasted{Broadcast.DefaultArrayStyle{2}}, bc))
    end
    T = Broadcast.combine_eltypes(bc.f, bc.args)
    kind = isconcretetype(T) ? T : typeof(beyond)
    lower, upper = maximum(A -> A.lower, all_of_them), maximum(A -> A.upper, all_of_them)
    return by_elements((i, j) -> bc[CartesianIndex(i, j)], kind, n, lower, upper)
end
