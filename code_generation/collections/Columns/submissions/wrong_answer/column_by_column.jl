# Sets what fits before it finds what does not.
stored(v::Columns) = getfield(v, :stored)

Base.size(v::Columns) = (length(first(stored(v))),)
Base.IndexStyle(::Type{<:Columns}) = IndexLinear()

@inline function Base.getindex(v::Columns{R}, i::Int) where {R}
    @boundscheck checkbounds(v, i)
    return R(map(c -> @inbounds(c[i]), values(stored(v))))
end

# All values are converted before any is stored, so that a row is set as a whole or not at all.
@inline function Base.setindex!(v::Columns{R}, row, i::Int) where {R}
    @boundscheck checkbounds(v, i)
    for name in keys(stored(v))
        stored(v)[name][i] = row[name]
    end
    return v
end

function as_row(::Type{R}, row::NamedTuple) where {R<:NamedTuple}
    row isa R && return row
    names = fieldnames(R)
    length(row) == length(names) && all(name -> haskey(row, name), names) || throw(ArgumentError("a row must have exactly the names $names"))
    return R(map(name -> row[name], names))
end

set_row!(::Tuple{}, ::Tuple{}, i) = nothing
function set_row!(columns::Tuple, row::Tuple, i)
    columns[1][i] = row[1]
    return set_row!(Base.tail(columns), Base.tail(row), i)
end

Base.propertynames(v::Columns) = keys(stored(v))
@inline Base.getproperty(v::Columns, name::Symbol) = getproperty(stored(v), name)



# Room for rows of named values is by columns, for anything else an ordinary vector.
Base.similar(v::Columns, ::Type{T}, dims::Dims) where {T} = room(T, dims)
room(::Type{T}, dims) where {T} = Array{T}(undef, dims)
function room(::Type{R}, dims::Dims{1}) where {R<:NamedTuple}
    R isa DataType && fieldcount(R) > 0 || return Array{R}(undef, dims)
    return Columns(NamedTuple{fieldnames(R)}(map(T -> Vector{T}(undef, dims[1]), fieldtypes(R))))
end

Base.copy(v::Columns) = Columns(map(copy, stored(v)))

function Base.resize!(v::Columns, n::Integer)
    foreach(c -> resize!(c, n), values(stored(v)))
    return v
end

function Base.push!(v::Columns{R}, row) where {R}
    complete = as_row(R, row)
    foreach(push!, values(stored(v)), values(complete))
    return v
end

function Base.append!(v::Columns{R}, rows) where {R}
    complete = R[as_row(R, row) for row in rows]
    foreach(row -> push!(v, row), complete)
    return v
end

function Base.deleteat!(v::Columns, i)
    checkbounds(v, i)
    foreach(c -> deleteat!(c, i), values(stored(v)))
    return v
end

function Base.pop!(v::Columns)
    isempty(v) && throw(ArgumentError("there is no row"))
    row = v[end]
    resize!(v, length(v) - 1)
    return row
end

struct ColumnsStyle <: Broadcast.AbstractArrayStyle{1} end
ColumnsStyle(::Val{1}) = ColumnsStyle()
ColumnsStyle(::Val{N}) where {N} = Broadcast.DefaultArrayStyle{N}()
Base.BroadcastStyle(::Type{<:Columns}) = ColumnsStyle()
Base.similar(bc::Broadcast.Broadcasted{ColumnsStyle}, ::Type{T}) where {T} = room(T, map(length, axes(bc)))
