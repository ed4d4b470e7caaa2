# Tuples go by position.
struct Series{K,V}
    names::Vector{K}
    vals::Vector{V}
    # Takes over vectors that are sorted already.
    global series(names::Vector{K}, vals::Vector{V}) where {K,V} = new{K,V}(names, vals)
end

function Series(names::AbstractVector{K}, vals::AbstractVector{V}) where {K,V}
    length(names) == length(vals) || throw(DimensionMismatch("$(length(names)) labels for $(length(vals)) values"))
    own = collect(names)
    order = sortperm(own)
    sorted = own[order]
    for i in 2:length(sorted)
        isequal(sorted[i-1], sorted[i]) && throw(ArgumentError("the label $(repr(sorted[i])) occurs twice"))
    end
    return series(sorted, collect(vals)[order])
end

labels(s::Series) = s.names
Base.values(s::Series) = s.vals
Base.length(s::Series) = length(s.names)
Base.isempty(s::Series) = isempty(s.names)
Base.eltype(::Type{Series{K,V}}) where {K,V} = Pair{K,V}
Base.iterate(s::Series, i = 1) = i > length(s) ? nothing : (s.names[i] => s.vals[i], i + 1)
Base.copy(s::Series) = series(copy(s.names), copy(s.vals))
Base.:(==)(a::Series, b::Series) = isequal(a.names, b.names) && a.vals == b.vals

"Where a label stands, or 0."
function place(s::Series, label)
    i = searchsortedfirst(s.names, label)
    return i <= length(s) && isequal(s.names[i], label) ? i : 0
end

Base.haskey(s::Series, label) = place(s, label) > 0
function Base.getindex(s::Series, label)
    i = place(s, label)
    return i > 0 ? s.vals[i] : throw(KeyError(label))
end
function Base.setindex!(s::Series{K,V}, value, label) where {K,V}
    name, converted = convert(K, label), convert(V, value)
    i = searchsortedfirst(s.names, name)
    if i <= length(s) && isequal(s.names[i], name)
        s.vals[i] = converted
    else
        insert!(s.names, i, name)
        insert!(s.vals, i, converted)
    end
    return s
end

struct ByLabel <: Broadcast.BroadcastStyle end
Base.BroadcastStyle(::Type{<:Series}) = ByLabel()
# Whatever else takes part is looked at when the expression is complete.
Base.BroadcastStyle(::ByLabel, ::Broadcast.BroadcastStyle) = ByLabel()
Broadcast.broadcastable(s::Series) = s
Broadcast.instantiate(bc::Broadcast.Broadcasted{ByLabel}) = bc

function Base.copy(bc::Broadcast.Broadcasted{ByLabel})
    flat = Broadcast.flatten(bc)
    names = common(names_of(flat.args...)...)
    return series(names, results(flat, names))
end

function Broadcast.materialize!(dest::Series, bc::Broadcast.Broadcasted)
    flat = Broadcast.flatten(bc)
    dest.vals .= convert(Vector{eltype(dest.vals)}, results(flat, dest.names))
    return dest
end

"The values of a flat broadcast for these labels."
function results(flat, names)
    # An expression of nothing but scalars has the same value everywhere.
    args = (names, map(arg -> aligned(arg, names), flat.args)...)
    f = flat.f
    vals = broadcast((_, xs...) -> f(xs...), args...)
    return vals isa Vector ? vals : Vector(vals)
end

names_of() = ()
names_of(arg::Series, rest...) = (arg.names, names_of(rest...)...)
names_of(arg, rest...) = names_of(rest...)

aligned(arg, names) = (check_scalar(arg); arg)
function aligned(s::Series, names)
    isequal(s.names, names) && return s.vals
    vals = similar(s.vals, length(names))
    i = 1
    for (k, name) in enumerate(names)
        while i <= length(s) && isless(s.names[i], name)
            i += 1
        end
        i <= length(s) && isequal(s.names[i], name) || throw(KeyError(name))
        vals[k] = s.vals[i]
    end
    return vals
end

check_scalar(arg) = nothing
check_scalar(arg::AbstractArray) = arg isa AbstractArray{<:Any,0} || throw(ArgumentError("arrays and tuples do not go with series"))

# Labels are compared as they are, and converted afterwards.
common(names::Vector) = copy(names)
common(a::Vector, b::Vector, rest::Vector...) = common(common_of_two(a, b), rest...)
function common_of_two(a::Vector{K}, b::Vector{L}) where {K,L}
    both = promote_type(K, L)[]
    i = j = 1
    while i <= length(a) && j <= length(b)
        if isless(a[i], b[j])
            i += 1
        elseif isless(b[j], a[i])
            j += 1
        else
            push!(both, a[i])
            i += 1
            j += 1
        end
    end
    return both
end
