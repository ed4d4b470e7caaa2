# Everything through one function that makes a banded matrix of a function of two indices.
using LinearAlgebra

Base.size(A::Banded) = (A.n, A.n)
function Base.getindex(A::Banded, i::Int, j::Int)
    checkbounds(A, i, j)
    return in_band(A, i, j) ? A.band[A.upper+1+i-j, j] : zero(eltype(A))
end
function Base.setindex!(A::Banded, x, i::Int, j::Int)
    checkbounds(A, i, j)
    in_band(A, i, j) && return A.band[A.upper+1+i-j, j] = x
    iszero(x) || throw(ArgumentError("not in the band"))
    return x
end

function make(f, ::Type{T}, n, lower, upper) where {T}
    A = Banded{T}(undef, n, clamp(lower, 0, n - 1), clamp(upper, 0, n - 1))
    for j in 1:n, i in rows(A, j)
        A.band[A.upper+1+i-j, j] = f(i, j)
    end
    return A
end
same_order(A, B) = A.n == B.n || throw(DimensionMismatch("orders differ"))

Base.similar(A::Banded, ::Type{T}) where {T} = Banded{T}(undef, A.n, A.lower, A.upper)
Base.copy(A::Banded{T}) where {T} = make((i, j) -> A[i, j], T, A.n, A.lower, A.upper)
function Base.:+(A::Banded, B::Banded)
    same_order(A, B)
    return make((i, j) -> A[i, j] + B[i, j], promote_type(eltype(A), eltype(B)), A.n, max(A.lower, B.lower), max(A.upper, B.upper))
end
Base.:-(A::Banded) = A * -1
Base.:-(A::Banded, B::Banded) = A + (-B)
Base.:*(A::Banded{T}, c::Number) where {T} = make((i, j) -> A[i, j] * c, Base.promote_op(*, T, typeof(c)), A.n, A.lower, A.upper)
Base.:*(c::Number, A::Banded) = A * c
Base.:/(A::Banded{T}, c::Number) where {T} = make((i, j) -> A[i, j] / c, Base.promote_op(/, T, typeof(c)), A.n, A.lower, A.upper)
function Base.:*(A::Banded, B::Banded)
    same_order(A, B)
    T = promote_type(eltype(A), eltype(B))
    function element(i, j)
        total = zero(T)
        for k in max(1, i - A.lower, j - B.upper):min(A.n, i + A.upper, j + B.lower)
            total += A[i, k] * B[k, j]
        end
        return total
    end
    return make(element, T, A.n, A.lower + B.lower, A.upper + B.upper)
end
Base.copy(A::Adjoint{T,<:Banded}) where {T} = make((i, j) -> A[i, j], T, parent(A).n, parent(A).upper, parent(A).lower)
Base.copy(A::Transpose{T,<:Banded}) where {T} = make((i, j) -> A[i, j], T, parent(A).n, parent(A).upper, parent(A).lower)

function Base.:*(A::Banded, x::AbstractVector)
    length(x) == A.n || throw(DimensionMismatch("a vector of $(length(x))"))
    return mul!(zeros(promote_type(eltype(A), eltype(x)), A.n), A, x)
end
Base.:*(A::Adjoint{<:Any,<:Banded}, x::AbstractVector) = copy(A) * x
Base.:*(A::Transpose{<:Any,<:Banded}, x::AbstractVector) = copy(A) * x
LinearAlgebra.mul!(y::AbstractVector, A::Banded, x::AbstractVector) = mul!(y, A, x, 1, 0)
function LinearAlgebra.mul!(y::AbstractVector, A::Banded, x::AbstractVector, a::Number, b::Number)
    (length(x), length(y)) == (A.n, A.n) || throw(DimensionMismatch("vectors of other lengths"))
    for i in 1:A.n
        total = zero(eltype(y))
        for j in max(1, i - A.lower):min(A.n, i + A.upper)
            total += A[i, j] * x[j]
        end
        y[i] = b == 0 ? a * total : a * total + b * y[i]
    end
    return y
end

Base.BroadcastStyle(::Type{<:Banded}) = Broadcast.ArrayStyle{Banded}()

banded(x) = ()
banded(A::Banded) = (A,)
banded(bc::Broadcast.Broadcasted) = foldl((found, arg) -> (found..., banded(arg)...), bc.args; init = ())
plain(x) = x isa Union{Number,Ref,AbstractString,Symbol,Function,Type,Banded}
plain(bc::Broadcast.Broadcasted) = all(plain, bc.args)
at_zero(x) = x
at_zero(x::Ref) = x[]
at_zero(A::Banded) = zero(eltype(A))
at_zero(bc::Broadcast.Broadcasted) = bc.f(map(at_zero, bc.args)...)

function Base.copy(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{Banded}})
    found = banded(bc)
    if plain(bc) && all(A -> A.n == found[1].n, found)
        value = at_zero(bc)
        if value isa Number && iszero(value)
            T = Broadcast.combine_eltypes(bc.f, bc.args)
            return make((i, j) -> bc[CartesianIndex(i, j)], T, found[1].n, maximum(A.lower for A in found), maximum(A.upper for A in found))
        end
    end
    return copy(convert(Broadcast.Broadcasted{Broadcast.DefaultArrayStyle{length(axes(bc))}}, bc))
end
