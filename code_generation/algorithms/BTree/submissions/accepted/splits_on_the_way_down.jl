# The textbook way: full nodes are split and poor ones filled on the way down, in one pass.
mutable struct BNode{K}
    ks::Vector{K}
    cs::Union{Nothing, Vector{BNode{K}}}
end
mutable struct BTree{K}
    t::Int
    root::BNode{K}
    n::Int
    function BTree{K}(t::Integer) where {K}
        t < 2 && throw(ArgumentError("t must be at least 2"))
        new{K}(t, BNode{K}(K[], nothing), 0)
    end
end
Base.length(b::BTree) = b.n
same(a, b) = !isless(a, b) && !isless(b, a)
position(x, k) = (i = 1; while i <= length(x.ks) && isless(x.ks[i], k); i += 1; end; i)
function Base.in(k, b::BTree)
    x = b.root
    while true
        i = position(x, k)
        i <= length(x.ks) && !isless(k, x.ks[i]) && return true
        x.cs === nothing && return false
        x = x.cs[i]
    end
end
function split!(p::BNode{K}, i, t) where {K}
    y = p.cs[i]
    z = BNode{K}(y.ks[t+1:end], y.cs === nothing ? nothing : y.cs[t+1:end])
    insert!(p.ks, i, y.ks[t])
    resize!(y.ks, t - 1)
    y.cs === nothing || resize!(y.cs, t)
    insert!(p.cs, i + 1, z)
    nothing
end
function add!(b::BTree{K}, k) where {K}
    k in b && return false
    t = b.t
    if length(b.root.ks) == 2t - 1
        b.root = BNode{K}(K[], [b.root])
        split!(b.root, 1, t)
    end
    x = b.root
    while x.cs !== nothing
        i = position(x, k)
        if length(x.cs[i].ks) == 2t - 1
            split!(x, i, t)
            isless(x.ks[i], k) && (i += 1)
        end
        x = x.cs[i]
    end
    insert!(x.ks, position(x, k), k)
    b.n += 1
    return true
end
function merge!(x, i)
    y, z = x.cs[i], x.cs[i+1]
    push!(y.ks, x.ks[i])
    append!(y.ks, z.ks)
    y.cs === nothing || append!(y.cs, z.cs)
    deleteat!(x.ks, i)
    deleteat!(x.cs, i + 1)
    return y
end
# Child i with at least t keys, so that one can be taken from it.
function rich_child!(x, i, t)
    c = x.cs[i]
    length(c.ks) >= t && return c
    if i < length(x.cs) && length(x.cs[i+1].ks) >= t
        r = x.cs[i+1]
        push!(c.ks, x.ks[i])
        x.ks[i] = popfirst!(r.ks)
        r.cs === nothing || push!(c.cs, popfirst!(r.cs))
        return c
    elseif i > 1 && length(x.cs[i-1].ks) >= t
        l = x.cs[i-1]
        pushfirst!(c.ks, x.ks[i-1])
        x.ks[i-1] = pop!(l.ks)
        l.cs === nothing || pushfirst!(c.cs, pop!(l.cs))
        return c
    end
    return i < length(x.cs) ? merge!(x, i) : merge!(x, i - 1)
end
function drop!(x, k, t)
    i = position(x, k)
    here = i <= length(x.ks) && !isless(k, x.ks[i])
    if x.cs === nothing
        here && deleteat!(x.ks, i)
    elseif here && length(x.cs[i].ks) >= t
        x.ks[i] = largest!(x.cs[i], t)
    elseif here && length(x.cs[i+1].ks) >= t
        x.ks[i] = smallest!(x.cs[i+1], t)
    elseif here
        drop!(merge!(x, i), k, t)
    else
        drop!(rich_child!(x, i, t), k, t)
    end
    nothing
end
largest!(x, t) = x.cs === nothing ? pop!(x.ks) : largest!(rich_child!(x, length(x.cs), t), t)
smallest!(x, t) = x.cs === nothing ? popfirst!(x.ks) : smallest!(rich_child!(x, 1, t), t)
function remove!(b::BTree, k)
    k in b || return false
    drop!(b.root, k, b.t)
    isempty(b.root.ks) && b.root.cs !== nothing && (b.root = b.root.cs[1])
    b.n -= 1
    return true
end
function walk(f, x)
    for i in 1:length(x.ks)
        x.cs === nothing || walk(f, x.cs[i])
        f(x.ks[i])
    end
    x.cs === nothing || walk(f, x.cs[end])
    nothing
end
Base.collect(b::BTree{K}) where {K} = (r = K[]; walk(k -> push!(r, k), b.root); r)
function levels(b::BTree{K}) where {K}
    result = Vector{Vector{K}}[]
    row = [b.root]
    while true
        push!(result, [copy(x.ks) for x in row])
        row[1].cs === nothing && return result
        row = [c for x in row for c in x.cs]
    end
end
