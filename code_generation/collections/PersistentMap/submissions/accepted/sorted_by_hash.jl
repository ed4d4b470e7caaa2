# A balanced tree (treap) ordered by the hash, with lists for equal hashes.
struct TNode{K, V}
    h::UInt
    priority::UInt
    items::Vector{Pair{K, V}}
    left::Union{Nothing, TNode{K, V}}
    right::Union{Nothing, TNode{K, V}}
end
struct PersistentMap{K, V}
    root::Union{Nothing, TNode{K, V}}
    n::Int
    PersistentMap{K, V}(root = nothing, n = 0) where {K, V} = new{K, V}(root, n)
end
Base.length(m::PersistentMap) = m.n
Base.eltype(::Type{PersistentMap{K, V}}) where {K, V} = Pair{K, V}
function lookup(m, key)
    h = hash(key)
    t = m.root
    while t !== nothing
        if h == t.h
            for p in t.items
                isequal(p.first, key) && return p
            end
            return nothing
        end
        t = h < t.h ? t.left : t.right
    end
    return nothing
end
Base.haskey(m::PersistentMap, key) = lookup(m, key) !== nothing
Base.get(m::PersistentMap, key, default) = (p = lookup(m, key); p === nothing ? default : p.second)
Base.getindex(m::PersistentMap, key) = (p = lookup(m, key); p === nothing ? throw(KeyError(key)) : p.second)
mk(t::TNode{K, V}, l, r) where {K, V} = TNode{K, V}(t.h, t.priority, t.items, l, r)
items(t::TNode{K, V}, xs) where {K, V} = TNode{K, V}(t.h, t.priority, xs, t.left, t.right)
function insert(t, p::Pair{K, V}, h) where {K, V}
    t === nothing && return TNode{K, V}(h, hash(h, UInt(1)), [p], nothing, nothing)
    h == t.h && return items(t, [filter(q -> !isequal(q.first, p.first), t.items); p])
    if h < t.h
        l = insert(t.left, p, h)
        return l.priority > t.priority ? mk(l, l.left, mk(t, l.right, t.right)) : mk(t, l, t.right)
    end
    r = insert(t.right, p, h)
    return r.priority > t.priority ? mk(r, mk(t, t.left, r.left), r.right) : mk(t, t.left, r)
end
function join2(a, b)
    a === nothing && return b
    b === nothing && return a
    return a.priority > b.priority ? mk(a, a.left, join2(a.right, b)) : mk(b, join2(a, b.left), b.right)
end
function delete(t, key, h)
    h < t.h && return mk(t, delete(t.left, key, h), t.right)
    h > t.h && return mk(t, t.left, delete(t.right, key, h))
    rest = filter(q -> !isequal(q.first, key), t.items)
    return isempty(rest) ? join2(t.left, t.right) : items(t, rest)
end
function assoc(m::PersistentMap{K, V}, key, value) where {K, V}
    k = convert(K, key)
    p = Pair{K, V}(k, convert(V, value))
    return PersistentMap{K, V}(insert(m.root, p, hash(k)), haskey(m, k) ? m.n : m.n + 1)
end
dissoc(m::PersistentMap{K, V}, key) where {K, V} =
    haskey(m, key) ? PersistentMap{K, V}(delete(m.root, key, hash(key)), m.n - 1) : m
gather!(out, ::Nothing) = out
gather!(out, t) = (gather!(out, t.left); append!(out, t.items); gather!(out, t.right))
function Base.iterate(m::PersistentMap{K, V}, state = (gather!(Pair{K, V}[], m.root), 1)) where {K, V}
    list, i = state
    return i > length(list) ? nothing : (list[i], (list, i + 1))
end
