# Takes keys with equal hashes for the same key.
# A trie over the bits of the hash, 4 at a time. An element of `slots` is nothing, a branch, or a bucket: the entries of
# one hash, in a vector that is never changed.
struct Bucket{K, V}
    hash::UInt
    entries::Vector{Pair{K, V}}
end

struct Branch
    slots::Vector{Any}
end

struct PersistentMap{K, V}
    root::Any
    count::Int
end
PersistentMap{K, V}() where {K, V} = PersistentMap{K, V}(nothing, 0)

slot(hash, depth) = Int((hash >> (4 * depth)) & 0xf) + 1
position(bucket, key) = 1

function bucket_of(map, key)
    node, h, depth = map.root, hash(key), 0
    while node isa Branch
        node = node.slots[slot(h, depth)]
        depth += 1
    end
    return node
end

function Base.get(map::PersistentMap, key, default)
    bucket = bucket_of(map, key)
    i = bucket === nothing ? nothing : position(bucket, key)
    return i === nothing ? default : last(bucket.entries[i])
end

Base.haskey(map::PersistentMap, key) = get(map, key, Branch) !== Branch
function Base.getindex(map::PersistentMap, key)
    value = get(map, key, Branch)
    return value === Branch ? throw(KeyError(key)) : value
end
Base.length(map::PersistentMap) = map.count
Base.eltype(::Type{PersistentMap{K, V}}) where {K, V} = Pair{K, V}

function assoc(map::PersistentMap{K, V}, key, value) where {K, V}
    entry = Pair{K, V}(key, value)
    added = !haskey(map, first(entry))
    return PersistentMap{K, V}(with(map.root, entry, hash(first(entry)), 0), map.count + added)
end

with(::Nothing, entry, hash, depth) = Bucket(hash, [entry])
with(branch::Branch, entry, hash, depth) =
    replaced(branch, slot(hash, depth), with(branch.slots[slot(hash, depth)], entry, hash, depth + 1))

function with(bucket::Bucket, entry, hash, depth)
    if bucket.hash != hash
        branch = replaced(Branch(fill!(Vector{Any}(undef, 16), nothing)), slot(bucket.hash, depth), bucket)
        return with(branch, entry, hash, depth)
    end
    return Bucket(hash, [entry])
end

function replaced(branch, i, node)
    slots = copy(branch.slots)
    slots[i] = node
    return Branch(slots)
end

function dissoc(map::PersistentMap{K, V}, key) where {K, V}
    haskey(map, key) || return map
    return PersistentMap{K, V}(without(map.root, key, hash(key), 0), map.count - 1)
end

function without(bucket::Bucket, key, hash, depth)
    entries = filter(entry -> !isequal(first(entry), key), bucket.entries)
    return isempty(entries) ? nothing : Bucket(hash, entries)
end

function without(branch::Branch, key, hash, depth)
    i = slot(hash, depth)
    smaller = replaced(branch, i, without(branch.slots[i], key, hash, depth + 1))
    return all(node -> node === nothing, smaller.slots) ? nothing : smaller
end

# The state is the list of what is still to be visited.
Base.iterate(map::PersistentMap) = iterate(map, Any[map.root])
function Base.iterate(map::PersistentMap, todo)
    while !isempty(todo)
        node = pop!(todo)
        node isa Pair && return node, todo
        node isa Branch && append!(todo, node.slots)
        node isa Bucket && append!(todo, node.entries)
    end
    return nothing
end
