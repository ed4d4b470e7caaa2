# Iterates over the keys that are there at the start, and compacts a little earlier.
function InsertionDict{K,V}(pairs::Pair...) where {K,V}
    d = InsertionDict{K,V}()
    for (k, v) in pairs
        d[k] = v
    end
    return d
end

Base.length(d::InsertionDict) = length(d.index)
Base.haskey(d::InsertionDict, key) = key in keys(d.index)
const NOT_THERE = Ref(0)
Base.get(d::InsertionDict, key, default) = (i = get(d.index, key, 0); i == 0 ? default : d.slots[i].second)
Base.get(f::Union{Function,Type}, d::InsertionDict, key) = (x = get(d, key, NOT_THERE); x === NOT_THERE ? f() : x)
Base.getindex(d::InsertionDict, key) = get(() -> throw(KeyError(key)), d, key)

function Base.setindex!(d::InsertionDict{K,V}, value, key) where {K,V}
    pair = Pair{K,V}(convert(K, key), convert(V, value))
    i = get!(d.index, pair.first) do
        push!(d.slots, nothing)
        length(d.slots)
    end
    d.slots[i] = pair
    return d
end

function Base.get!(f::Union{Function,Type}, d::InsertionDict{K,V}, key) where {K,V}
    haskey(d, key) && return d[key]
    value = convert(V, f())
    d[key] = value
    return value
end
Base.get!(d::InsertionDict, key, default) = get!(() -> default, d, key)

function Base.delete!(d::InsertionDict, key)
    i = pop!(d.index, key, nothing)
    i === nothing && return d
    d.slots[i] = nothing
    length(d.slots) - length(d.index) > length(d.index) + 8 && compact!(d)
    return d
end

function Base.pop!(d::InsertionDict, key, default)
    value = get(d, key, NOT_THERE)
    value === NOT_THERE && return default
    delete!(d, key)
    return value
end
Base.pop!(d::InsertionDict, key) = haskey(d, key) ? pop!(d, key, nothing) : throw(KeyError(key))

Base.empty!(d::InsertionDict) = (resize!(d.slots, 0); empty!(d.index); d)
Base.empty(d::InsertionDict{K,V}) where {K,V} = InsertionDict{K,V}()
Base.empty(d::InsertionDict, K::Type, V::Type) = InsertionDict{K,V}()
Base.copy(d::InsertionDict{K,V}) where {K,V} = (c = InsertionDict{K,V}(); foreach(p -> c[p.first] = p.second, d); c)
Base.merge(d::InsertionDict, others::AbstractDict...) = foldl(merge!, others; init = copy(d))

in_order(d) = [s.first for s in d.slots if s !== nothing]
function Base.iterate(d::InsertionDict, order = in_order(d))
    while !isempty(order)
        key, rest = order[1], order[2:end]
        i = get(d.index, key, 0)
        i == 0 || return d.slots[i], rest
        order = rest
    end
    return nothing
end

last_pair(d::InsertionDict) = isempty(d) ? throw(ArgumentError("empty")) : last(collect(d))
Base.popfirst!(d::InsertionDict) =
    isempty(d) ? throw(ArgumentError("empty")) : (p = first(collect(d)); delete!(d, p.first); p)
