# Walks properly, but finds the start of a range and the next key by going through all keys before it.
Base.length(tree::Tree) = tree.count
Base.eltype(::Type{Tree{K}}) where {K} = K
leftmost(n, up) = n === nothing ? up : leftmost(n.left, (n, up))
Base.iterate(tree::Tree, s = leftmost(tree.root, nothing)) = s === nothing ? nothing : (s[1].key, leftmost(s[1].right, s[2]))
rightmost(n, up) = n === nothing ? up : rightmost(n.right, (n, up))
Base.iterate(r::Iterators.Reverse{<:Tree}, s = rightmost(r.itr.root, nothing)) = s === nothing ? nothing : (s[1].key, rightmost(s[1].left, s[2]))
struct Range{K,A,B}
    tree::Tree{K}
    low::A
    high::B
end
keys_between(tree::Tree, low, high) = Range(tree, low, high)
Base.eltype(::Type{<:Range{K}}) where {K} = K
Base.IteratorSize(::Type{<:Range}) = Base.SizeUnknown()
function Base.iterate(r::Range, s...)
    step = iterate(r.tree, s...)
    while step !== nothing && isless(step[1], r.low)
        step = iterate(r.tree, step[2])
    end
    return step === nothing || isless(r.high, step[1]) ? nothing : step
end
next_key(tree::Tree, key) = (for k in tree; isless(key, k) && return k; end; nothing)
