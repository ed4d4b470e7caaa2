# Keeps a mutable stack in the state, which breaks iterations that are used twice from the same state.
Base.length(tree::Tree) = tree.count
Base.eltype(::Type{Tree{K}}) where {K} = K
struct Range{K,A,B}
    tree::Tree{K}
    low::A
    high::B
    stack::Vector{Node{K}}
end
push_left!(stack, node, low) = while node !== nothing
    if isless(node.key, low)
        node = node.right
    else
        push!(stack, node)
        node = node.left
    end
end
keys_between(tree::Tree{K}, low, high) where {K} = (r = Range(tree, low, high, Node{K}[]); push_left!(r.stack, tree.root, low); r)
Base.eltype(::Type{<:Range{K}}) where {K} = K
Base.IteratorSize(::Type{<:Range}) = Base.SizeUnknown()
function Base.iterate(r::Range, _ = nothing)
    (isempty(r.stack) || isless(r.high, r.stack[end].key)) && return nothing
    node = pop!(r.stack)
    push_left!(r.stack, node.right, r.low)
    return node.key, nothing
end
leftmost(n, up) = n === nothing ? up : leftmost(n.left, (n, up))
Base.iterate(tree::Tree, s = leftmost(tree.root, nothing)) = s === nothing ? nothing : (s[1].key, leftmost(s[1].right, s[2]))
rightmost(n, up) = n === nothing ? up : rightmost(n.right, (n, up))
Base.iterate(r::Iterators.Reverse{<:Tree}, s = rightmost(r.itr.root, nothing)) = s === nothing ? nothing : (s[1].key, rightmost(s[1].left, s[2]))
next_key(tree::Tree, key) = (r = keys_between(tree, key, key); isempty(r.stack) ? nothing : r.stack[end].key)
