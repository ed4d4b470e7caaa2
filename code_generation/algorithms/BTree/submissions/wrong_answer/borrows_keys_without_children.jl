# A borrowed key leaves its subtree behind.
struct Node{K}
    keys::Vector{K}
    children::Vector{Node{K}}
end

mutable struct BTree{K}
    t::Int
    root::Node{K}
    count::Int

    function BTree{K}(t::Integer) where {K}
        t >= 2 || throw(ArgumentError("the minimum degree must be at least 2, got $t"))
        return new{K}(t, Node{K}(K[], []), 0)
    end
end

isleaf(node) = isempty(node.children)

# The position of the first key that is not below `key`, and whether it is that key.
function find(node, key)
    i = searchsortedfirst(node.keys, key)
    return i, i <= length(node.keys) && !isless(key, node.keys[i])
end

Base.length(tree::BTree) = tree.count

Base.in(key, tree::BTree) = contains_key(tree.root, key)
function contains_key(node, key)
    i, found = find(node, key)
    return found || !isleaf(node) && contains_key(node.children[i], key)
end

function add!(tree::BTree{K}, key) where {K}
    add_below!(tree.root, convert(K, key), tree.t) || return false
    if length(tree.root.keys) > 2 * tree.t - 1
        tree.root = Node{K}(K[], [tree.root])
        split_child!(tree.root, 1, tree.t)
    end
    tree.count += 1
    return true
end

function add_below!(node, key, t)
    i, found = find(node, key)
    found && return false
    if isleaf(node)
        insert!(node.keys, i, key)
        return true
    end
    added = add_below!(node.children[i], key, t)
    length(node.children[i].keys) > 2t - 1 && split_child!(node, i, t)
    return added
end

# A child with 2t keys becomes two, with the key between them in the parent.
function split_child!(node::Node{K}, i, t) where {K}
    child = node.children[i]
    right = Node{K}(splice!(child.keys, t+1:2t), isleaf(child) ? [] : splice!(child.children, t+2:2t+1))
    insert!(node.keys, i, popfirst!(right.keys))
    insert!(node.children, i + 1, right)
end

function remove!(tree::BTree, key)
    remove_below!(tree.root, key, tree.t) || return false
    if isempty(tree.root.keys) && !isleaf(tree.root)
        tree.root = tree.root.children[1]
    end
    tree.count -= 1
    return true
end

function remove_below!(node, key, t)
    i, found = find(node, key)
    if isleaf(node)
        found && deleteat!(node.keys, i)
        return found
    end
    if found
        node.keys[i] = pop_largest!(node.children[i], t)
    else
        found = remove_below!(node.children[i], key, t)
    end
    refill!(node, i, t)
    return found
end

function pop_largest!(node, t)
    isleaf(node) && return pop!(node.keys)
    key = pop_largest!(node.children[end], t)
    refill!(node, length(node.children), t)
    return key
end

# Gives child i, which may lack a key, one from a sibling, or joins the two.
function refill!(node, i, t)
    child = node.children[i]
    length(child.keys) >= t - 1 && return
    if i > 1 && length(node.children[i-1].keys) >= t
        left = node.children[i-1]
        pushfirst!(child.keys, node.keys[i-1])
        node.keys[i-1] = pop!(left.keys)

    elseif i < length(node.children) && length(node.children[i+1].keys) >= t
        right = node.children[i+1]
        push!(child.keys, node.keys[i])
        node.keys[i] = popfirst!(right.keys)
        isleaf(right) || push!(child.children, popfirst!(right.children))
    else
        join_children!(node, max(i - 1, 1))
    end
end

function join_children!(node, i)
    left, right = node.children[i], node.children[i+1]
    push!(left.keys, node.keys[i])
    append!(left.keys, right.keys)
    append!(left.children, right.children)
    deleteat!(node.keys, i)
    deleteat!(node.children, i + 1)
end

Base.collect(tree::BTree{K}) where {K} = collect_below!(K[], tree.root)
function collect_below!(keys, node)
    isleaf(node) && return append!(keys, node.keys)
    for (i, child) in enumerate(node.children)
        collect_below!(keys, child)
        i <= length(node.keys) && push!(keys, node.keys[i])
    end
    return keys
end

function levels(tree::BTree)
    found, level = [], [tree.root]
    while !isempty(level)
        push!(found, [copy(node.keys) for node in level])
        level = reduce(vcat, [node.children for node in level])
    end
    return found
end
