# Imports the functions, scales the right vector, and checks sizes itself.
import Base: size, getindex, *, adjoint, transpose
struct OuterProduct{T<:Number, U<:AbstractVector{<:Number}, V<:AbstractVector{<:Number}} <: AbstractMatrix{T}
    u::U
    v::V
end
OuterProduct(u::U, v::V) where {U<:AbstractVector{<:Number}, V<:AbstractVector{<:Number}} =
    OuterProduct{promote_type(eltype(U), eltype(V)), U, V}(u, v)
size(A::OuterProduct) = (length(A.u), length(A.v))
function getindex(A::OuterProduct{T}, i::Int, j::Int) where {T}
    @boundscheck checkbounds(A, i, j)
    return convert(T, A.u[i] * conj(A.v[j]))
end
function inner(v, x)
    length(v) == length(x) || throw(DimensionMismatch("sizes do not fit"))
    return sum(conj(a) * b for (a, b) in zip(v, x))
end
*(A::OuterProduct, x::AbstractVector{<:Number}) = inner(A.v, x) .* A.u
*(A::OuterProduct, B::OuterProduct) = OuterProduct(A.u, conj(inner(A.v, B.u)) .* B.v)
*(c::Number, A::OuterProduct) = OuterProduct(A.u, conj(c) .* A.v)
*(A::OuterProduct, c::Number) = OuterProduct(A.u, conj(c) .* A.v)
adjoint(A::OuterProduct) = OuterProduct(A.v, A.u)
transpose(A::OuterProduct) = OuterProduct(conj.(A.v), conj.(A.u))
