# Deletes the key from all layers.
struct LayeredDict{K, V} <: AbstractDict{K, V}
    layers::Vector{AbstractDict{K, V}}
end

LayeredDict(first::AbstractDict{K, V}, rest::AbstractDict{K, V}...) where {K, V} =
    LayeredDict{K, V}([first, rest...])

function Base.get(default::Base.Callable, d::LayeredDict, key)
    for layer in d.layers
        haskey(layer, key) && return layer[key]
    end
    return default()
end

Base.get(d::LayeredDict, key, default) = get(() -> default, d, key)

flat(d::LayeredDict) = merge(reverse(d.layers)...)
Base.length(d::LayeredDict) = length(flat(d))
Base.iterate(d::LayeredDict) = advance(flat(d))
Base.iterate(d::LayeredDict, (dict, state)) = advance(dict, state)

function advance(dict, state...)
    next = iterate(dict, state...)
    return next === nothing ? nothing : (next[1], (dict, next[2]))
end

Base.setindex!(d::LayeredDict, value, key) = setindex!(d.layers[1], value, key)
Base.delete!(d::LayeredDict, key) = (foreach(layer -> delete!(layer, key), d.layers); d)
