# The columns of a row at a time, by generated code.
parts(v::Columns) = getfield(v, :stored)
Base.size(v::Columns) = size(parts(v)[1])
Base.getproperty(v::Columns, name::Symbol) = getfield(parts(v), name)
Base.propertynames(v::Columns) = keys(parts(v))

@generated function Base.getindex(v::Columns{R,S}, i::Int) where {R,S}
    fields = [:(columns[$k][i]) for k in 1:fieldcount(S)]
    return :(checkbounds(v, i); columns = parts(v); R(($(fields...),)))
end

@generated function Base.setindex!(v::Columns{R,S}, row::NamedTuple, i::Int) where {R,S}
    names = fieldnames(R)
    sort!(collect(names)) == sort!(collect(fieldnames(row))) || return :(throw(ArgumentError("other names than " * $(string(names)))))
    converted = [:(convert(fieldtype(R, $k), getfield(row, $(QuoteNode(n))))) for (k, n) in enumerate(names)]
    stores = [:(columns[$k][i] = new[$k]) for k in 1:length(names)]
    return :(checkbounds(v, i); columns = parts(v); new = ($(converted...),); $(stores...); v)
end

function blank(::Type{R}, n::Int) where {names,T<:Tuple,R<:NamedTuple{names,T}}
    kinds = fieldtypes(T)
    return Columns(NamedTuple{names}(map(K -> Vector{K}(undef, n), kinds)))
end
is_rows(::Type{T}) where {T} = T <: NamedTuple && T isa DataType && fieldcount(T) > 0
make(::Type{T}, dims) where {T} = length(dims) == 1 && is_rows(T) ? blank(T, dims[1]) : Array{T}(undef, dims)
Base.similar(::Columns, ::Type{T}, dims::Tuple{Int,Vararg{Int}}) where {T} = make(T, dims)

Base.copy(v::Columns) = v[1:end]
Base.resize!(v::Columns, n::Integer) = (for c in parts(v) resize!(c, n) end; v)
function Base.push!(v::Columns, row)
    # The row goes into a room of its own first: what does not fit shows there.
    one = similar(v, 1)
    one[1] = row
    for name in propertynames(v)
        push!(getproperty(v, name), getproperty(one, name)[1])
    end
    return v
end
function Base.append!(v::Columns, rows)
    list = collect(rows)
    more = similar(v, length(list))
    for (i, row) in enumerate(list)
        more[i] = row
    end
    for name in propertynames(v)
        append!(getproperty(v, name), getproperty(more, name))
    end
    return v
end
function Base.deleteat!(v::Columns, i)
    checkbounds(v, i)
    for c in parts(v)
        deleteat!(c, i)
    end
    return v
end
function Base.pop!(v::Columns)
    isempty(v) && throw(ArgumentError("empty"))
    row = last(v)
    deleteat!(v, length(v))
    return row
end

Base.BroadcastStyle(::Type{<:Columns}) = Broadcast.ArrayStyle{Columns}()
Base.similar(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{Columns}}, ::Type{T}) where {T} = make(T, length.(axes(bc)))
