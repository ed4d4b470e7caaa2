# Dead entries are noticed when they are read, but still take up room.
struct ExpiringCache{K, V}
    capacity::Int
    lifetime::Real
    clock::Any
    entries::Dict{K, Tuple{V, Real}}        # the value, and when it dies
    uses::Vector{K}                         # the one whose last use is the longest ago comes first

    function ExpiringCache{K, V}(capacity::Integer; lifetime::Real, clock = time) where {K, V}
        capacity >= 1 || throw(ArgumentError("a cache needs room for an entry, got capacity = $capacity"))
        lifetime > 0 || throw(ArgumentError("lifetime must be greater than 0, got $lifetime"))
        return new{K, V}(capacity, lifetime, clock, Dict{K, Tuple{V, Real}}(), K[])
    end
end

function forget!(cache::ExpiringCache, key)
    delete!(cache.entries, key)
    filter!(!isequal(key), cache.uses)
end

function live_entries(cache::ExpiringCache)
    now = cache.clock()
    foreach(key -> forget!(cache, key), [key for (key, (_, death)) in cache.entries if death <= now])
    return cache.entries
end

Base.haskey(cache::ExpiringCache, key) = haskey(live_entries(cache), key)
Base.length(cache::ExpiringCache) = length(live_entries(cache))

function Base.getindex(cache::ExpiringCache, key)
    haskey(cache, key) || throw(KeyError(key))
    push!(filter!(!isequal(key), cache.uses), key)
    return cache.entries[key][1]
end

Base.get(cache::ExpiringCache, key, default) = haskey(cache, key) ? cache[key] : default

function Base.setindex!(cache::ExpiringCache, value, key)
    haskey(cache.entries, key) && forget!(cache, key)
    length(cache.entries) == cache.capacity && forget!(cache, first(cache.uses))
    cache.entries[key] = (value, cache.clock() + cache.lifetime)
    push!(cache.uses, key)
end
