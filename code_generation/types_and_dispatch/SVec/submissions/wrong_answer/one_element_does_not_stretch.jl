# A vector of one element goes only with others of one element.
struct SVec{N,T<:Number} <: AbstractVector{T}
    data::NTuple{N,T}
end

SVec(x::Number, xs::Number...) = SVec(promote(x, xs...))

Base.size(::SVec{N}) where {N} = (N,)
Base.IndexStyle(::Type{<:SVec}) = IndexLinear()
@inline function Base.getindex(v::SVec, i::Int)
    @boundscheck checkbounds(v, i)
    return v.data[i]
end
Base.Tuple(v::SVec) = v.data
Base.iterate(v::SVec, i = 1) = i > length(v) ? nothing : (v.data[i], i + 1)

Base.zero(::Type{SVec{N,T}}) where {N,T} = SVec(ntuple(_ -> zero(T), Val(N)))
Base.zero(v::SVec) = zero(typeof(v))

Base.:+(a::SVec{N}, b::SVec{N}) where {N} = map(+, a, b)
Base.:-(a::SVec{N}, b::SVec{N}) where {N} = map(-, a, b)
Base.:-(a::SVec) = map(-, a)
Base.:*(a::SVec, x::Number) = map(y -> y * x, a)
Base.:*(x::Number, a::SVec) = map(y -> x * y, a)
Base.:/(a::SVec, x::Number) = map(y -> y / x, a)

# `map` of a tuple makes an array when there are more than 15 elements; `ntuple` does not.
Base.map(f::F, a::SVec{N}) where {F,N} = SVec(ntuple(i -> f(a.data[i]), Val(N)))
Base.map(f::F, a::SVec{N}, b::SVec{N}) where {F,N} = SVec(ntuple(i -> f(a.data[i], b.data[i]), Val(N)))
Base.vcat(a::SVec) = a
Base.vcat(a::SVec, b::SVec, rest::SVec...) = vcat(SVec(promote(a.data..., b.data...)), rest...)
Base.reverse(a::SVec) = SVec(reverse(a.data))

# Broadcasts over static vectors, scalars and tuples; ordinary arrays have the say.
struct Static <: Broadcast.AbstractArrayStyle{1} end
Static(::Val{N}) where {N} = N <= 1 ? Static() : Broadcast.DefaultArrayStyle{N}()
Base.BroadcastStyle(::Type{<:SVec}) = Static()
Base.BroadcastStyle(s::Static, ::Broadcast.DefaultArrayStyle{0}) = s
Base.BroadcastStyle(::Static, s::Broadcast.DefaultArrayStyle) = s
Base.BroadcastStyle(s::Static, ::Broadcast.Style{Tuple}) = s

static_length(::Type{<:SVec{N}}) where {N} = N
static_length(::Type{<:NTuple{N,Any}}) where {N} = N
static_length(::Type{<:Broadcast.Broadcasted{S,A,F,Args}}) where {S,A,F,Args} = static_length_of(Args)
static_length(::Type) = nothing

# Of all arguments: 1 goes with anything. (Base has checked the lengths by then.)
@generated function static_length_of(::Type{Args}) where {Args<:Tuple}
    lengths = unique(filter(n -> n !== nothing, [static_length(A) for A in Args.parameters]))
    longer = lengths
    return isempty(longer) ? (isempty(lengths) ? nothing : 1) : longer[1]
end

@inline element(v::SVec{1}, i) = v.data[1]
@inline element(v::SVec, i) = v.data[i]
@inline element(t::Tuple{Any}, i) = t[1]
@inline element(t::Tuple, i) = t[i]
@inline element(r::Ref, i) = r[]
@inline element(bc::Broadcast.Broadcasted, i) = bc.f(elements(bc.args, i)...)
@inline element(x, i) = x
@inline elements(::Tuple{}, i) = ()
@inline elements(args::Tuple, i) = (element(args[1], i), elements(Base.tail(args), i)...)

@inline function Base.copy(bc::Broadcast.Broadcasted{Static})
    n = static_length(typeof(bc))
    return collected(bc, Val(n))
end
@inline collected(bc, ::Val{N}) where {N} = SVec(ntuple(i -> element(bc, i), Val(N)))
