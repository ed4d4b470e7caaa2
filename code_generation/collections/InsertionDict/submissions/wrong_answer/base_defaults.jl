# Leaves merge and copy to Base, which makes an ordinary dictionary, and stores the key before the value is converted.
InsertionDict{K,V}(pairs::Pair...) where {K,V} = (d = InsertionDict{K,V}(); foreach(p -> d[p[1]] = p[2], pairs); d)
Base.length(d::InsertionDict) = length(d.index)
Base.haskey(d::InsertionDict, key) = haskey(d.index, key)
Base.getindex(d::InsertionDict, key) = last(d.slots[d.index[key]])
Base.get(d::InsertionDict, key, default) = haskey(d, key) ? d[key] : default
Base.get(f::Base.Callable, d::InsertionDict, key) = haskey(d, key) ? d[key] : f()
function Base.setindex!(d::InsertionDict{K,V}, value, key) where {K,V}
    i = get!(() -> (push!(d.slots, nothing); length(d.slots)), d.index, key)
    d.slots[i] = Pair{K,V}(key, value)
    return d
end
Base.get!(d::InsertionDict, key, default) = get!(() -> default, d, key)
Base.get!(f::Base.Callable, d::InsertionDict, key) = (haskey(d, key) || (d[key] = f()); d[key])
function Base.delete!(d::InsertionDict, key)
    haskey(d, key) && (d.slots[pop!(d.index, key)] = nothing)
    return d
end
Base.pop!(d::InsertionDict, key) = (v = d[key]; delete!(d, key); v)
Base.pop!(d::InsertionDict, key, default) = haskey(d, key) ? pop!(d, key) : default
Base.empty!(d::InsertionDict) = (empty!(d.slots); empty!(d.index); d)
Base.empty(::InsertionDict, ::Type{K}, ::Type{V}) where {K,V} = InsertionDict{K,V}()
function Base.iterate(d::InsertionDict, i = 1)
    i = findnext(!isnothing, d.slots, i)
    return i === nothing ? nothing : (d.slots[i], i + 1)
end
last_pair(d::InsertionDict) = isempty(d) ? throw(ArgumentError("empty")) : last(filter(!isnothing, d.slots))
Base.popfirst!(d::InsertionDict) = isempty(d) ? throw(ArgumentError("empty")) : (p = first(d); delete!(d, p[1]); p)
