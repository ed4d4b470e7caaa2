# Iterates by the numbers of the slots, which move when a deletion compacts the storage.
InsertionDict{K,V}(pairs::Pair...) where {K,V} = (d = InsertionDict{K,V}(); foreach(p -> d[p[1]] = p[2], pairs); d)
Base.length(d::InsertionDict) = length(d.index)
Base.haskey(d::InsertionDict, key) = haskey(d.index, key)
Base.getindex(d::InsertionDict, key) = last(d.slots[d.index[key]])
Base.get(d::InsertionDict, key, default) = haskey(d, key) ? d[key] : default
Base.get(f::Base.Callable, d::InsertionDict, key) = haskey(d, key) ? d[key] : f()
function Base.setindex!(d::InsertionDict{K,V}, value, key) where {K,V}
    k, v = convert(K, key), convert(V, value)
    return haskey(d, k) ? replace_value!(d, k, v) : append_pair!(d, Pair{K,V}(k, v))
end
Base.get!(d::InsertionDict, key, default) = get!(() -> default, d, key)
Base.get!(f::Base.Callable, d::InsertionDict, key) = (haskey(d, key) || (d[key] = f()); d[key])
function Base.delete!(d::InsertionDict, key)
    haskey(d, key) || return d
    d.slots[pop!(d.index, key)] = nothing
    length(d.slots) > 2 * length(d) + 16 && compact!(d)
    return d
end
Base.pop!(d::InsertionDict, key) = (v = d[key]; delete!(d, key); v)
Base.pop!(d::InsertionDict, key, default) = haskey(d, key) ? pop!(d, key) : default
Base.empty!(d::InsertionDict) = (empty!(d.slots); empty!(d.index); d)
Base.empty(::InsertionDict, ::Type{K}, ::Type{V}) where {K,V} = InsertionDict{K,V}()
Base.copy(d::InsertionDict) = merge!(empty(d), d)
Base.merge(d::InsertionDict, others::AbstractDict...) = merge!(copy(d), others...)
function Base.iterate(d::InsertionDict, i = 1)
    i = findnext(!isnothing, d.slots, i)
    return i === nothing ? nothing : (d.slots[i], i + 1)
end
last_pair(d::InsertionDict) = isempty(d) ? throw(ArgumentError("empty")) : last(filter(!isnothing, d.slots))
Base.popfirst!(d::InsertionDict) = isempty(d) ? throw(ArgumentError("empty")) : (p = first(d); delete!(d, p[1]); p)
