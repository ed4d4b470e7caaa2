# Keeps elements and counts in two vectors, and iterates with a pair of positions.
struct Multiset{T}
    items::Vector{T}
    counts::Vector{Int}
    Multiset{T}() where {T} = new{T}(T[], Int[])
end
function Multiset(source)
    m = Multiset{eltype(source)}()
    for x in source
        push!(m, x)
    end
    return m
end
place(m::Multiset, x) = findfirst(isequal(x), m.items)
function Base.getindex(m::Multiset, x)
    i = place(m, x)
    return i === nothing ? 0 : m.counts[i]
end
function Base.push!(m::Multiset, x)
    i = place(m, x)
    if i === nothing
        push!(m.items, x)
        push!(m.counts, 1)
    else
        m.counts[i] += 1
    end
    return m
end
function Base.pop!(m::Multiset, x)
    i = place(m, x)
    i === nothing && throw(KeyError(x))
    if (m.counts[i] -= 1) == 0
        deleteat!(m.items, i)
        deleteat!(m.counts, i)
    end
    return x
end
Base.length(m::Multiset) = isempty(m.counts) ? 0 : sum(m.counts)
Base.isempty(m::Multiset) = isempty(m.items)
Base.in(x, m::Multiset) = m[x] > 0
Base.eltype(::Type{Multiset{T}}) where {T} = T
function Base.iterate(m::Multiset, (i, k) = (1, 0))
    i > length(m.items) && return nothing
    k < m.counts[i] && return m.items[i], (i, k + 1)
    return iterate(m, (i + 1, 0))
end
function Base.:(==)(a::Multiset, b::Multiset)
    return length(a) == length(b) && all(a[x] == b[x] for x in a.items)
end
Base.hash(m::Multiset, h::UInt) = foldl(xor, (hash(x, UInt(n)) for (x, n) in zip(m.items, m.counts)); init = h)
function Base.:+(a::Multiset, b::Multiset)
    m = Multiset{promote_type(eltype(a), eltype(b))}()
    foreach(x -> push!(m, x), a)
    foreach(x -> push!(m, x), b)
    return m
end
function Base.intersect(a::Multiset, b::Multiset)
    m = Multiset{eltype(a)}()
    for x in a
        m[x] < b[x] && push!(m, x)
    end
    return m
end
