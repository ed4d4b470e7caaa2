# Constant fields in a mutable type, and the oldest use by findmin with a function.
# Needs: Julia 1.8
mutable struct Entry{V}
    const value::V
    const dies::Any
    used::Int
end

mutable struct ExpiringCache{K, V}
    const capacity::Int
    const lifetime::Any
    const clock::Any
    const entries::Dict{K, Entry{V}}
    uses::Int

    function ExpiringCache{K, V}(capacity::Integer; lifetime::Real, clock = time) where {K, V}
        capacity < 1 && throw(ArgumentError("no capacity"))
        lifetime > 0 || throw(ArgumentError("no lifetime"))
        new{K, V}(capacity, lifetime, clock, Dict{K, Entry{V}}(), 0)
    end
end

alive(cache::ExpiringCache) = (now = cache.clock(); filter!(((_, entry),) -> now < entry.dies, cache.entries))

Base.length(cache::ExpiringCache) = length(alive(cache))
Base.haskey(cache::ExpiringCache, key) = haskey(alive(cache), key)

function used(cache::ExpiringCache, entry)
    entry.used = cache.uses += 1
    entry.value
end

Base.getindex(cache::ExpiringCache, key) = used(cache, alive(cache)[key])

function Base.get(cache::ExpiringCache, key, default)
    entry = get(alive(cache), key, nothing)
    isnothing(entry) ? default : used(cache, entry)
end

function Base.setindex!(cache::ExpiringCache{K, V}, value, key) where {K, V}
    entries = alive(cache)
    if !haskey(entries, key) && length(entries) == cache.capacity
        _, oldest = findmin(entry -> entry.used, entries)
        delete!(entries, oldest)
    end
    entries[key] = Entry{V}(value, cache.clock() + cache.lifetime, cache.uses += 1)
    cache
end
