# Base is not told whose memory a torus shares.
struct Torus{T,N,A<:AbstractArray{T,N}} <: AbstractArray{T,N}
    world::A
end

Base.parent(t::Torus) = t.world
Base.size(t::Torus) = size(t.world)
Base.axes(t::Torus) = axes(t.world)

# The remainders are taken before the difference, which could overflow.
@inline function wrap(i::Int, axis)
    n = length(axis)
    n == 0 && throw(BoundsError(axis, i))
    return mod(mod(i, n) - mod(first(axis), n), n) + first(axis)
end

@inline Base.getindex(t::Torus{T,N}, I::Vararg{Int,N}) where {T,N} = @inbounds t.world[map(wrap, I, axes(t))...]
@inline function Base.setindex!(t::Torus{T,N}, x, I::Vararg{Int,N}) where {T,N}
    @inbounds t.world[map(wrap, I, axes(t))...] = x
    return t
end

# All other indices: they are what they would be for the world, but go round if there are as many as dimensions.
function Base.getindex(t::Torus, I...)
    J = indices_in(t, I)
    return t.world[J...]
end
function Base.setindex!(t::Torus, x, I...)
    J = indices_in(t, I)
    t.world[J...] = x
    return t
end
Base.view(t::Torus, I...) = view(t.world, indices_in(t, I)...)
Base.view(t::Torus{T,N}, I::Vararg{Int,N}) where {T,N} = view(t.world, map(wrap, I, axes(t))...)

function indices_in(t::Torus{T,N}, I::Tuple) where {T,N}
    J = to_indices(t.world, I)
    K = dimensions(J...) == N ? around(J, axes(t)) : J
    # Setting elements of an `Array` by a mask does not check its length once the mask is converted.
    checkbounds(t.world, K...)
    return K
end

dimensions() = 0
dimensions(i, rest...) = dimensions_of(i) + dimensions(rest...)
dimensions_of(i) = 1
dimensions_of(i::AbstractArray{CartesianIndex{n}}) where {n} = n
dimensions_of(i::AbstractArray{Bool,n}) where {n} = n
dimensions_of(i::Base.LogicalIndex{CartesianIndex{n}}) where {n} = n

around(::Tuple{}, ::Tuple{}) = ()
function around(J::Tuple, all_axes::Tuple)
    now, later = Base.IteratorsMD.split(all_axes, Val(dimensions_of(J[1])))
    return (around_one(J[1], now), around(Base.tail(J), later)...)
end
around_one(i::Int, (axis,)) = wrap(i, axis)
around_one(i::Union{Base.Slice,Base.LogicalIndex}, _) = i
around_one(i::AbstractArray{<:Integer}, (axis,)) = map(k -> wrap(Int(k), axis), i)
around_one(i::AbstractArray{<:CartesianIndex}, all_axes) = map(k -> CartesianIndex(map(wrap, Tuple(k), all_axes)), i)

Base.similar(t::Torus, ::Type{T}, dims::Dims) where {T} = Torus(Array{T}(undef, dims))
Base.BroadcastStyle(::Type{<:Torus}) = Broadcast.ArrayStyle{Torus}()
Base.similar(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{Torus}}, ::Type{T}) where {T} = Torus(similar(Array{T}, axes(bc)))

# Who shares memory with the world shares it with the torus.

