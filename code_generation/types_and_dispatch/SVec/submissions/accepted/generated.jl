# Broadcasts by a generated function, with the length from the types of the arguments.
struct SVec{N,T<:Number} <: AbstractVector{T}
    elements::NTuple{N,T}
    SVec(elements::NTuple{N,T}) where {N,T<:Number} = new{N,T}(elements)
end

SVec(elements::Number...) = SVec(promote(elements...))

Base.size(::SVec{N}) where {N} = (N,)
function Base.getindex(v::SVec{N}, i::Int) where {N}
    1 <= i <= N || throw(BoundsError(v, i))
    return getfield(v, :elements)[i]
end
Base.Tuple(v::SVec) = v.elements
Base.zero(::Type{SVec{N,T}}) where {N,T} = SVec(ntuple(i -> zero(T), Val{N}()))
Base.zero(v::SVec{N,T}) where {N,T} = zero(SVec{N,T})

for op in (:+, :-)
    @eval Base.$op(a::SVec{N}, b::SVec{N}) where {N} = apply($op, (a, b))
end
Base.:-(a::SVec) = apply(-, (a,))
Base.:*(x::Number, a::SVec) = apply(*, (x, a))
Base.:*(a::SVec, x::Number) = apply(*, (a, x))
Base.:/(a::SVec, x::Number) = apply(/, (a, x))
Base.map(f, a::SVec{N}, more::SVec{N}...) where {N} = apply(f, (a, more...))
Base.vcat(a::SVec, more::SVec...) = SVec(promote(joined(a.elements, map(Tuple, more)...)...))
joined(a::Tuple) = a
joined(a::Tuple, b::Tuple, more::Tuple...) = joined((a..., b...), more...)
Base.reverse(a::SVec) = SVec(reverse(a.elements))

struct Style <: Broadcast.BroadcastStyle end
Base.BroadcastStyle(::Type{<:SVec}) = Style()
Base.BroadcastStyle(::Style, s::Broadcast.AbstractArrayStyle{N}) where {N} = N == 0 ? Style() : s
Base.BroadcastStyle(::Style, ::Broadcast.Style{Tuple}) = Style()
Base.similar(bc::Broadcast.Broadcasted{Style}, ::Type{T}) where {T} = Vector{T}(undef, length(axes(bc)[1]))

Base.copy(bc::Broadcast.Broadcasted{Style}) = flat_copy(Broadcast.flatten(bc))
flat_copy(bc::Broadcast.Broadcasted) = apply(bc.f, bc.args)

@generated function apply(f, args::Args) where {Args<:Tuple}
    lengths = [A <: SVec ? A.parameters[1] : A <: Tuple ? length(A.parameters) : 1 for A in Args.parameters]
    n = any(==(0), lengths) ? 0 : maximum(lengths)
    all(l -> l == n || l == 1, lengths) || return :(throw(DimensionMismatch("lengths $($lengths)")))
    part(k, A, i) =
        A <: SVec ? :(args[$k].elements[$(lengths[k] == 1 ? 1 : i)]) :
        A <: Tuple ? :(args[$k][$(lengths[k] == 1 ? 1 : i)]) :
        A <: Ref ? :(args[$k][]) : :(args[$k])
    calls = [:(f($((part(k, A, i) for (k, A) in enumerate(Args.parameters))...))) for i in 1:n]
    return :(SVec(($(calls...),)))
end
