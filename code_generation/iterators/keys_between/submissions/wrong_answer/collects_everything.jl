# Collects the keys in advance, which is not lazy.
Base.length(tree::Tree) = tree.count
Base.eltype(::Type{Tree{K}}) where {K} = K
walk!(out, ::Nothing) = out
walk!(out, node::Node) = walk!(push!(walk!(out, node.left), node.key), node.right)
all_keys(tree::Tree{K}) where {K} = walk!(K[], tree.root)
Base.iterate(tree::Tree, state = (all_keys(tree), 1)) =
    state[2] > length(state[1]) ? nothing : (state[1][state[2]], (state[1], state[2] + 1))
Base.iterate(r::Iterators.Reverse{<:Tree}, state = (reverse(all_keys(r.itr)), 1)) =
    state[2] > length(state[1]) ? nothing : (state[1][state[2]], (state[1], state[2] + 1))
keys_between(tree::Tree, low, high) = Iterators.filter(k -> !isless(k, low) && !isless(high, k), tree)
function next_key(tree::Tree, key)
    for k in tree
        isless(key, k) && return k
    end
    return nothing
end
