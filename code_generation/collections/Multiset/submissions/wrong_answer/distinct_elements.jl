# A loop gives every element once.
struct Multiset{T}
    counts::Dict{T, Int}
    Multiset{T}() where {T} = new{T}(Dict{T, Int}())
end

Multiset(items) = push_all!(Multiset{eltype(items)}(), items)
push_all!(m::Multiset, items) = foldl(push!, items; init = m)

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

function Base.iterate(m::Multiset, state...)
    return iterate(keys(m.counts), state...)
end

Base.:(==)(a::Multiset, b::Multiset) = a.counts == b.counts
Base.hash(m::Multiset, h::UInt) = hash(m.counts, h)

function Base.:+(a::Multiset{S}, b::Multiset{T}) where {S, T}
    return push_all!(push_all!(Multiset{promote_type(S, T)}(), a), b)
end

function Base.intersect(a::Multiset{T}, b::Multiset) where {T}
    common = Multiset{T}()
    for (x, n) in a.counts, _ in 1:min(n, b[x])
        push!(common, x)
    end
    return common
end
