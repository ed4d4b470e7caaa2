# Walks along the layers and skips keys that an earlier layer has, without any copy.
struct LayeredDict{K, V} <: AbstractDict{K, V}
    top::AbstractDict{K, V}
    below::Union{Nothing, LayeredDict{K, V}}
end
LayeredDict(first::AbstractDict{K, V}) where {K, V} = LayeredDict{K, V}(first, nothing)
LayeredDict(first::AbstractDict{K, V}, second::AbstractDict{K, V}, rest::AbstractDict{K, V}...) where {K, V} =
    LayeredDict{K, V}(first, LayeredDict(second, rest...))
Base.haskey(d::LayeredDict, k) = haskey(d.top, k) || (d.below !== nothing && haskey(d.below, k))
function Base.getindex(d::LayeredDict, k)
    haskey(d.top, k) && return d.top[k]
    d.below === nothing && throw(KeyError(k))
    return d.below[k]
end
Base.get(d::LayeredDict, k, default) = haskey(d, k) ? d[k] : default
Base.get(f::Function, d::LayeredDict, k) = haskey(d, k) ? d[k] : f()
everything(d::LayeredDict) = d.below === nothing ? d.top :
    Iterators.flatten((d.top, Iterators.filter(p -> !haskey(d.top, p.first), everything(d.below))))
Base.length(d::LayeredDict) = count(_ -> true, everything(d))
function Base.iterate(d::LayeredDict, state = nothing)
    itr = state === nothing ? everything(d) : state[1]
    y = state === nothing ? iterate(itr) : iterate(itr, state[2])
    y === nothing && return nothing
    return y[1], (itr, y[2])
end
function Base.setindex!(d::LayeredDict, v, k)
    d.top[k] = v
    return d
end
function Base.delete!(d::LayeredDict, k)
    haskey(d.top, k) && delete!(d.top, k)
    return d
end
