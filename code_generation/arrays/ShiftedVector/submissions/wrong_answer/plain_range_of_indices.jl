# The indices are an ordinary range, which has itself indices from 1.
struct ShiftedVector{T} <: AbstractVector{T}
    data::Vector{T}
    first::Int
    ShiftedVector(data::Vector{T}, first::Integer) where {T} = new{T}(data, Int(first))
end

const Shifted = UnitRange{Int}

Base.size(v::ShiftedVector) = size(v.data)
# The indices of the indices are the indices again: an ordinary range would be counted from 1.
Base.axes(v::ShiftedVector) = (v.first:v.first+length(v.data)-1,)
Base.IndexStyle(::Type{<:ShiftedVector}) = IndexLinear()

@inline function Base.getindex(v::ShiftedVector, i::Int)
    @boundscheck checkbounds(v, i)
    return @inbounds v.data[i-v.first+1]
end

@inline function Base.setindex!(v::ShiftedVector, x, i::Int)
    @boundscheck checkbounds(v, i)
    @inbounds v.data[i-v.first+1] = x
    return v
end

Base.similar(v::ShiftedVector, ::Type{T}) where {T} = ShiftedVector(similar(v.data, T), v.first)
Base.similar(v::ShiftedVector, ::Type{T}, shape::Tuple{Shifted}) where {T} = shifted(T, shape[1])
Base.copy(v::ShiftedVector) = ShiftedVector(copy(v.data), v.first)

shifted(::Type{T}, indices) where {T} = ShiftedVector(Vector{T}(undef, length(indices)), first(indices))

Base.BroadcastStyle(::Type{<:ShiftedVector}) = Broadcast.ArrayStyle{ShiftedVector}()

function Base.similar(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{ShiftedVector}}, ::Type{T}) where {T}
    return shifted(T, axes(bc)[1])
end
