# Copies the layers together when it is made.
struct LayeredDict{K, V} <: AbstractDict{K, V}
    top::AbstractDict{K, V}
    all::Dict{K, V}
end
LayeredDict(first::AbstractDict{K, V}, rest::AbstractDict{K, V}...) where {K, V} =
    LayeredDict{K, V}(first, merge(Dict{K, V}(), reverse(rest)..., first))
Base.get(d::LayeredDict, key, default) = get(d.all, key, default)
Base.get(f::Base.Callable, d::LayeredDict, key) = get(f, d.all, key)
Base.length(d::LayeredDict) = length(d.all)
Base.iterate(d::LayeredDict, state...) = iterate(d.all, state...)
Base.setindex!(d::LayeredDict, value, key) = (d.top[key] = value; d.all[key] = value; d)
Base.delete!(d::LayeredDict, key) = (delete!(d.top, key); delete!(d.all, key); d)
