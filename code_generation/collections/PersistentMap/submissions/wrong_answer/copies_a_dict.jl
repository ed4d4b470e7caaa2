# Copies a whole dictionary for every update.
struct PersistentMap{K, V}
    dict::Dict{K, V}
end
PersistentMap{K, V}() where {K, V} = PersistentMap{K, V}(Dict{K, V}())
assoc(m::PersistentMap{K, V}, key, value) where {K, V} = (d = copy(m.dict); d[key] = value; PersistentMap{K, V}(d))
dissoc(m::PersistentMap{K, V}, key) where {K, V} = PersistentMap{K, V}(delete!(copy(m.dict), key))
Base.get(m::PersistentMap, key, default) = get(m.dict, key, default)
Base.getindex(m::PersistentMap, key) = m.dict[key]
Base.haskey(m::PersistentMap, key) = haskey(m.dict, key)
Base.length(m::PersistentMap) = length(m.dict)
Base.eltype(::Type{PersistentMap{K, V}}) where {K, V} = Pair{K, V}
Base.iterate(m::PersistentMap, s...) = iterate(m.dict, s...)
