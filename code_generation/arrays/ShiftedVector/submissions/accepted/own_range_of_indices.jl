# With a range type of its own for the indices.
struct Indices <: AbstractUnitRange{Int}
    start::Int
    stop::Int
end
Base.first(r::Indices) = r.start
Base.last(r::Indices) = r.stop
Base.length(r::Indices) = r.stop - r.start + 1
Base.size(r::Indices) = (length(r),)
Base.axes(r::Indices) = (r,)
Base.unsafe_indices(r::Indices) = (r,)
Base.iterate(r::Indices, i = r.start) = i > r.stop ? nothing : (i, i + 1)
@inline function Base.getindex(r::Indices, i::Int)
    @boundscheck r.start <= i <= r.stop || throw(BoundsError(r, i))
    return i
end
Base.getindex(r::Indices, s::AbstractUnitRange{<:Integer}) = (checkbounds(r, s); Int(first(s)):Int(last(s)))
Base.show(io::IO, r::Indices) = print(io, "Indices(", r.start, ", ", r.stop, ")")

struct ShiftedVector{T} <: AbstractVector{T}
    data::Vector{T}
    offset::Int
    ShiftedVector{T}(::UndefInitializer, r::AbstractUnitRange) where {T} = new{T}(Vector{T}(undef, length(r)), first(r) - 1)
    ShiftedVector(data::Vector{T}, first::Integer) where {T} = new{T}(data, first - 1)
end

Base.size(v::ShiftedVector) = size(v.data)
Base.axes(v::ShiftedVector) = (Indices(v.offset + 1, v.offset + length(v.data)),)
function Base.getindex(v::ShiftedVector, i::Int)
    checkbounds(v, i)
    return v.data[i-v.offset]
end
function Base.setindex!(v::ShiftedVector, x, i::Int)
    checkbounds(v, i)
    v.data[i-v.offset] = x
    return v
end
Base.IndexStyle(::Type{<:ShiftedVector}) = IndexLinear()

Base.similar(::AbstractArray, ::Type{T}, (r,)::Tuple{Indices}) where {T} = ShiftedVector{T}(undef, r)
Base.similar(::ShiftedVector, ::Type{T}, (r,)::Tuple{Base.IdentityUnitRange}) where {T} = ShiftedVector{T}(undef, r)
Base.similar(::Type{<:AbstractArray{T}}, (r,)::Tuple{Indices}) where {T} = ShiftedVector{T}(undef, r)
Base.similar(::Type{<:AbstractArray{T}}, dims::Tuple{Union{Indices,Base.OneTo},Union{Indices,Base.OneTo}}) where {T} = Array{T}(undef, length.(dims))

struct ShiftedStyle <: Broadcast.AbstractArrayStyle{1} end
ShiftedStyle(::Val{1}) = ShiftedStyle()
ShiftedStyle(::Val{N}) where {N} = Broadcast.DefaultArrayStyle{N}()
Base.BroadcastStyle(::Type{<:ShiftedVector}) = ShiftedStyle()
Base.similar(bc::Broadcast.Broadcasted{ShiftedStyle}, ::Type{T}) where {T} = ShiftedVector{T}(undef, axes(bc)[1])
