# The constructor of the struct takes a Dict of integers for counts.
struct Multiset{T}
    counts::Dict{T, Int}
end
Multiset{T}() where {T} = Multiset{T}(Dict{T, Int}())
Multiset(items) = foldl(push!, items; init = Multiset{eltype(items)}())
Base.getindex(m::Multiset, x) = get(m.counts, x, 0)
Base.in(x, m::Multiset) = haskey(m.counts, x)
Base.length(m::Multiset) = sum(values(m.counts))
Base.eltype(::Type{Multiset{T}}) where {T} = T
function Base.push!(m::Multiset, x)
    m.counts[x] = m[x] + 1
    return m
end
function Base.pop!(m::Multiset, x)
    x in m || throw(KeyError(x))
    m.counts[x] -= 1
    iszero(m[x]) && delete!(m.counts, x)
    return x
end
Base.iterate(m::Multiset, s...) = iterate(Iterators.flatten(Iterators.repeated(x, n) for (x, n) in m.counts), s...)
Base.:(==)(a::Multiset, b::Multiset) = a.counts == b.counts
Base.hash(m::Multiset, h::UInt) = hash(m.counts, h)
function Base.:+(a::Multiset{S}, b::Multiset{T}) where {S, T}
    return foldl(push!, b; init = foldl(push!, a; init = Multiset{promote_type(S, T)}()))
end
function Base.intersect(a::Multiset, b::Multiset)
    return Multiset(eltype(a)[x for x in keys(a.counts) for _ in 1:min(a[x], b[x])])
end
