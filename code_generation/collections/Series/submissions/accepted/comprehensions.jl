# Evaluates the nested expression itself, by a comprehension over positions in each series.
struct Series{K,V}
    data::Tuple{Vector{K},Vector{V}}
end

function Series(names::AbstractVector, vals::AbstractVector)
    length(names) == length(vals) || throw(DimensionMismatch("lengths differ"))
    order = sortperm(names)
    allunique(names) || throw(ArgumentError("a label occurs twice"))
    return Series((Vector(names[order]), Vector(vals[order])))
end

labels(s::Series) = s.data[1]
Base.values(s::Series) = s.data[2]
Base.length(s::Series) = length(labels(s))
Base.isempty(s::Series) = length(s) == 0
Base.eltype(::Type{Series{K,V}}) where {K,V} = Pair{K,V}
Base.iterate(s::Series, state...) = iterate((k => v for (k, v) in zip(s.data...)), state...)
Base.copy(s::Series) = Series(map(copy, s.data))
Base.:(==)(a::Series, b::Series) = isequal(labels(a), labels(b)) && values(a) == values(b)

Base.haskey(s::Series, label) = !isempty(searchsorted(labels(s), label))
function Base.getindex(s::Series, label)
    found = searchsorted(labels(s), label)
    isempty(found) && throw(KeyError(label))
    return values(s)[first(found)]
end
function Base.setindex!(s::Series{K,V}, value, label) where {K,V}
    k, v = convert(K, label), convert(V, value)
    found = searchsorted(labels(s), k)
    splice!(labels(s), found, [k])
    splice!(values(s), found, V[v])
    return s
end

struct Labelled <: Broadcast.BroadcastStyle end
Base.BroadcastStyle(::Type{<:Series}) = Labelled()
Base.BroadcastStyle(::Labelled, ::Broadcast.BroadcastStyle) = Labelled()
Broadcast.broadcastable(s::Series) = s
Broadcast.instantiate(bc::Broadcast.Broadcasted{Labelled}) = bc

# The nested expression as functions of a position; a series becomes its values at the labels wanted.
every(bc::Broadcast.Broadcasted) = every(bc.args...)
every(s::Series) = (s,)
every(x) = ()
every() = ()
every(x, y, more...) = (every(x)..., every(y, more...)...)

at(bc::Broadcast.Broadcasted, names) = Broadcast.Broadcasted{Nothing}(bc.f, map(x -> at(x, names), bc.args))
at(s::Series, names) = values(s)[positions(labels(s), names)]
at(x::Base.RefValue, names) = x
at(x::AbstractArray{<:Any,0}, names) = Ref(x[])
at(x::Union{Tuple,AbstractArray}, names) = throw(ArgumentError("no scalar"))
at(x, names) = x

function positions(from, names)
    found = searchsortedfirst.(Ref(from), names)
    for (i, name) in zip(found, names)
        i <= length(from) && isequal(from[i], name) || throw(KeyError(name))
    end
    return found
end

value(bc::Broadcast.Broadcasted, i) = bc.f(value_of(bc.args, i)...)
value(x::Vector, i) = x[i]
value(x::Ref, i) = x[]
value(x, i) = x
value_of(::Tuple{}, i) = ()
value_of(args::Tuple, i) = (value(args[1], i), value_of(Base.tail(args), i)...)

calculated(bc, names) = (tree = at(bc, names); [value(tree, i) for i in eachindex(names)])

function Base.copy(bc::Broadcast.Broadcasted{Labelled})
    all_of_them = every(bc)
    K = promote_type(map(s -> eltype(labels(s)), all_of_them)...)
    shared = filter(name -> all(s -> haskey(s, name), all_of_them), labels(all_of_them[1]))
    return Series((convert(Vector{K}, shared), calculated(bc, shared)))
end

function Broadcast.materialize!(dest::Series{K,V}, bc::Broadcast.Broadcasted) where {K,V}
    found = convert(Vector{V}, calculated(bc, labels(dest)))
    copyto!(values(dest), found)
    return dest
end
