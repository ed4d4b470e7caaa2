# Converts both vectors to one element type, which copies them.
using LinearAlgebra
struct OuterProduct{T} <: AbstractMatrix{T}
    u::Vector{T}
    v::Vector{T}
end
function OuterProduct(u::AbstractVector, v::AbstractVector)
    T = promote_type(eltype(u), eltype(v))
    return OuterProduct{T}(T.(u), T.(v))
end
Base.size(A::OuterProduct) = (length(A.u), length(A.v))
Base.getindex(A::OuterProduct, i::Int, j::Int) = A.u[i] * conj(A.v[j])
Base.:*(A::OuterProduct, x::AbstractVector) = A.u * dot(A.v, x)
Base.:*(A::OuterProduct, B::OuterProduct) = OuterProduct(A.u * dot(A.v, B.u), B.v)
Base.:*(c::Number, A::OuterProduct) = OuterProduct(c * A.u, A.v)
Base.:*(A::OuterProduct, c::Number) = OuterProduct(c * A.u, A.v)
Base.adjoint(A::OuterProduct) = OuterProduct(A.v, A.u)
Base.transpose(A::OuterProduct) = OuterProduct(conj(A.v), conj(A.u))
