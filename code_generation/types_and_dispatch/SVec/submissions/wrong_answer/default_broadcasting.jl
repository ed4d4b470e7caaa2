# Broadcasts are left to Base, and give ordinary vectors.
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
