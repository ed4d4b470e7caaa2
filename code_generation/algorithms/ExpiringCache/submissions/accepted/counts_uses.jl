# Numbers the uses, and looks for the smallest number among the live entries.
mutable struct CacheEntry{V}
    value::V
    written::Any
    used::Int
end
mutable struct ExpiringCache{K, V}
    entries::Dict{K, CacheEntry{V}}
    capacity::Int
    lifetime::Any
    clock::Any
    uses::Int
end
function ExpiringCache{K, V}(capacity::Integer; lifetime::Real, clock = time) where {K, V}
    (capacity < 1 || lifetime <= 0) && throw(ArgumentError("bad capacity or lifetime"))
    return ExpiringCache{K, V}(Dict{K, CacheEntry{V}}(), capacity, lifetime, clock, 0)
end
live(c::ExpiringCache, e::CacheEntry) = c.clock() < e.written + c.lifetime
live_keys(c::ExpiringCache) = [k for (k, e) in c.entries if live(c, e)]
Base.haskey(c::ExpiringCache, k) = haskey(c.entries, k) && live(c, c.entries[k])
Base.length(c::ExpiringCache) = length(live_keys(c))
touch!(c::ExpiringCache) = (c.uses += 1)
function Base.get(c::ExpiringCache, k, default)
    haskey(c, k) || return default
    e = c.entries[k]
    e.used = touch!(c)
    return e.value
end
function Base.getindex(c::ExpiringCache, k)
    haskey(c, k) || throw(KeyError(k))
    return get(c, k, nothing)
end
function Base.setindex!(c::ExpiringCache{K, V}, v, k) where {K, V}
    alive = live_keys(c)
    if !haskey(c, k) && length(alive) >= c.capacity
        oldest = alive[argmin([c.entries[x].used for x in alive])]
        delete!(c.entries, oldest)
    end
    c.entries[k] = CacheEntry{V}(v, c.clock(), touch!(c))
    return c
end
