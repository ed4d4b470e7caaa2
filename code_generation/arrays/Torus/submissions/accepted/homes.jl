# Wraps only what is outside, masks become plain indices, and memory is compared by the innermost parent.
struct Torus{T,N,P<:AbstractArray{T,N}} <: AbstractArray{T,N}
    data::P
    Torus(data::AbstractArray{T,N}) where {T,N} = new{T,N,typeof(data)}(data)
end

Base.parent(t::Torus) = t.data
Base.size(t::Torus) = size(parent(t))
Base.axes(t::Torus) = axes(parent(t))
Base.IndexStyle(::Type{<:Torus}) = IndexCartesian()

@inline function home(axis, i::Integer)
    isempty(axis) && throw(BoundsError(axis, i))
    first(axis) <= i <= last(axis) && return Int(i)
    n = length(axis)
    k = mod(i, n)
    low = mod(first(axis), n)
    return first(axis) + (k >= low ? k - low : k - low + n)
end

@inline homes(all_axes::Tuple, I::Tuple) = (home(all_axes[1], I[1]), homes(Base.tail(all_axes), Base.tail(I))...)
homes(::Tuple{}, ::Tuple{}) = ()

@inline Base.getindex(t::Torus{<:Any,N}, I::Vararg{Int,N}) where {N} = parent(t)[homes(axes(t), I)...]
@inline Base.setindex!(t::Torus{<:Any,N}, x, I::Vararg{Int,N}) where {N} = (parent(t)[homes(axes(t), I)...] = x; t)

function plain_indices(t::Torus{<:Any,N}, I) where {N}
    J = to_indices(parent(t), I)
    return mapreduce(width, +, J; init = 0) == N ? walk(axes(t), J) : I
end
width(::Any) = 1
width(::AbstractArray{CartesianIndex{n}}) where {n} = n
walk(::Tuple{}, ::Tuple{}) = ()
function walk(all_axes::Tuple, J::Tuple)
    own, others = Base.IteratorsMD.split(all_axes, Val(width(J[1])))
    return (walk_one(own, J[1]), walk(others, Base.tail(J))...)
end
walk_one(own, i::Integer) = home(own[1], i)
walk_one(own, i::Base.Slice) = Colon()
walk_one(own, i::Base.LogicalIndex) = axes(i.mask) == own ? collect(i) : throw(BoundsError(own, (i.mask,)))
walk_one(own, i::AbstractArray{<:Integer}) = [home(own[1], k) for k in i]
walk_one(own, i::AbstractArray{<:CartesianIndex}) = [CartesianIndex(homes(own, Tuple(k))) for k in i]

Base.getindex(t::Torus, I...) = parent(t)[plain_indices(t, I)...]
Base.setindex!(t::Torus, x, I...) = (parent(t)[plain_indices(t, I)...] = x; t)
Base.view(t::Torus, I...) = view(parent(t), plain_indices(t, I)...)

Base.similar(t::Torus, T::Type, dims::Dims) = Torus(Array{T}(undef, dims))

struct Round{N} <: Broadcast.AbstractArrayStyle{N} end
Round{M}(::Val{N}) where {M,N} = Round{N}()
Base.BroadcastStyle(::Type{<:Torus{<:Any,N}}) where {N} = Round{N}()
Base.similar(bc::Broadcast.Broadcasted{<:Round}, T::Type) = Torus(Array{T}(undef, length.(axes(bc))))

innermost(t::Torus) = parent(t)
Base.dataids(t::Torus) = Base.dataids(innermost(t))
Base.unaliascopy(t::Torus{T,N,P}) where {T,N,P} = Torus(Base.unaliascopy(innermost(t)))::Torus{T,N,P}
