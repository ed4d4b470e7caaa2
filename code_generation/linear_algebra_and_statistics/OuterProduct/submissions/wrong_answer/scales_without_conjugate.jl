# Scales the right vector by the number itself.
using LinearAlgebra
struct OuterProduct{T, U<:AbstractVector, V<:AbstractVector} <: AbstractMatrix{T}
    u::U
    v::V
end
OuterProduct(u::U, v::V) where {U<:AbstractVector, V<:AbstractVector} =
    OuterProduct{promote_type(eltype(U), eltype(V)), U, V}(u, v)
Base.size(A::OuterProduct) = (length(A.u), length(A.v))
Base.getindex(A::OuterProduct, i::Int, j::Int) = A.u[i] * conj(A.v[j])
Base.:*(A::OuterProduct, x::AbstractVector) = A.u * dot(A.v, x)
Base.:*(A::OuterProduct, B::OuterProduct) = OuterProduct(A.u * dot(A.v, B.u), B.v)
Base.:*(c::Number, A::OuterProduct) = OuterProduct(c * A.u, A.v)
Base.:*(A::OuterProduct, c::Number) = OuterProduct(A.u, A.v * c)
Base.adjoint(A::OuterProduct) = OuterProduct(A.v, A.u)
Base.transpose(A::OuterProduct) = OuterProduct(conj(A.v), conj(A.u))
