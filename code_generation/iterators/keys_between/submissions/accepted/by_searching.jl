# Keeps no path: each step searches for the next key from the root.
Base.length(tree::Tree) = tree.count
Base.eltype(::Type{Tree{K}}) where {K} = K

# The least key for which `enough` holds (it holds for all greater ones), as a Some.
function least(enough, tree)
    node, found = tree.root, nothing
    while node !== nothing
        if enough(node.key)
            found = Some(node.key)
            node = node.left
        else
            node = node.right
        end
    end
    return found
end

function greatest(enough, tree)
    node, found = tree.root, nothing
    while node !== nothing
        if enough(node.key)
            found = Some(node.key)
            node = node.right
        else
            node = node.left
        end
    end
    return found
end

step(::Nothing) = nothing
step(found::Some) = (found.value, found.value)

Base.iterate(tree::Tree) = step(least(k -> true, tree))
Base.iterate(tree::Tree, last) = step(least(k -> isless(last, k), tree))
Base.iterate(r::Iterators.Reverse{<:Tree}) = step(greatest(k -> true, r.itr))
Base.iterate(r::Iterators.Reverse{<:Tree}, last) = step(greatest(k -> isless(k, last), r.itr))

next_key(tree::Tree, key) = (found = least(k -> isless(key, k), tree); found === nothing ? nothing : found.value)

struct Between{T,A,B}
    tree::T
    low::A
    high::B
end
keys_between(tree::Tree, low, high) = Between(tree, low, high)
Base.eltype(::Type{Between{T,A,B}}) where {T,A,B} = eltype(T)
Base.IteratorSize(::Type{<:Between}) = Base.SizeUnknown()
bounded(b, ::Nothing) = nothing
bounded(b, found) = isless(b.high, found.value) ? nothing : (found.value, found.value)
Base.iterate(b::Between) = bounded(b, least(k -> !isless(k, b.low), b.tree))
Base.iterate(b::Between, last) = bounded(b, least(k -> isless(last, k), b.tree))
