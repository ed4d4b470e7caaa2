# What was deleted comes back as the last entry.
# The entries are a ring of nodes. One that is unlinked keeps its neighbours, so that it can be put back at its place: what
# came after its deletion is taken back before.
mutable struct Node{K,V}
    key::K
    value::V
    before::Node{K,V}
    after::Node{K,V}
    function Node{K,V}() where {K,V}
        node = new{K,V}()
        node.before = node.after = node
        return node
    end
    Node{K,V}(key, value, before, after) where {K,V} = new{K,V}(key, value, before, after)
end

struct UndoDict{K,V} <: AbstractDict{K,V}
    nodes::Dict{K,Node{K,V}}
    ring::Node{K,V}
    log::Vector{Tuple{Symbol,Node{K,V},Any}}    # what has to be undone, while anything might have to be
    marks::Vector{Int}                          # where in the log each transaction begins
    depth::Base.RefValue{Int}                   # of transactions and calls that are all or nothing
    UndoDict{K,V}() where {K,V} = new{K,V}(Dict{K,Node{K,V}}(), Node{K,V}(), Tuple{Symbol,Node{K,V},Any}[], Int[], Ref(0))
end

function UndoDict{K,V}(pairs) where {K,V}
    d = UndoDict{K,V}()
    for (key, value) in pairs
        d[key] = value
    end
    return d
end
UndoDict{K,V}(pairs::Pair...) where {K,V} = UndoDict{K,V}(pairs)
UndoDict(pairs::Pair...) = like(Dict(pairs...), pairs)
UndoDict(d::AbstractDict{K,V}) where {K,V} = UndoDict{K,V}(d)
UndoDict(pairs) = (items = collect(pairs); like(Dict(items), items))
UndoDict() = UndoDict{Any,Any}()
like(::Dict{K,V}, pairs) where {K,V} = UndoDict{K,V}(pairs)

Base.length(d::UndoDict) = length(d.nodes)
function Base.iterate(d::UndoDict, node = d.ring.after)
    return node === d.ring ? nothing : (node.key => node.value, node.after)
end
Base.haskey(d::UndoDict, key) = haskey(d.nodes, key)
Base.getindex(d::UndoDict, key) = (node = get(d.nodes, key, nothing); node === nothing ? throw(KeyError(key)) : node.value)
Base.get(d::UndoDict, key, default) = (node = get(d.nodes, key, nothing); node === nothing ? default : node.value)
Base.get(f::Base.Callable, d::UndoDict, key) = (node = get(d.nodes, key, nothing); node === nothing ? f() : node.value)
Base.getkey(d::UndoDict, key, default) = (node = get(d.nodes, key, nothing); node === nothing ? default : node.key)
Base.empty(::UndoDict, ::Type{K}, ::Type{V}) where {K,V} = UndoDict{K,V}()
Base.sizehint!(d::UndoDict, n) = (sizehint!(d.nodes, n); d)

# All changes are made of these three, each of which can be undone.

note!(d::UndoDict, what, node, old = nothing) = (d.depth[] > 0 && push!(d.log, (what, node, old)); return)

function link!(d::UndoDict, node)
    node.before.after = node.after.before = node
    d.nodes[node.key] = node
end
function unlink!(d::UndoDict, node)
    node.before.after, node.after.before = node.after, node.before
    delete!(d.nodes, node.key)
end

function Base.setindex!(d::UndoDict{K,V}, new_value, new_key) where {K,V}
    key = convert(K, new_key)
    isequal(key, new_key) || throw(ArgumentError("$new_key is not a valid key for type $K"))
    value = convert(V, new_value)
    node = get(d.nodes, key, nothing)
    if node === nothing
        node = Node{K,V}(key, value, d.ring.before, d.ring)
        link!(d, node)
        note!(d, :inserted, node)
    else
        note!(d, :set, node, node.value)
        node.value = value
    end
    return d
end

function remove!(d::UndoDict, node)
    unlink!(d, node)
    note!(d, :deleted, node)
end

function undo!(d::UndoDict, mark)
    while length(d.log) > mark
        what, node, old = pop!(d.log)
        what === :set ? (node.value = old) : what === :inserted ? unlink!(d, node) : (node.before = d.ring.before; node.after = d.ring; link!(d, node))
    end
end

# Either all of what `f` does to the dictionary is done, or nothing.
function atomic(f, d::UndoDict)
    mark = length(d.log)
    d.depth[] += 1
    try
        return f()
    catch
        undo!(d, mark)
        rethrow()
    finally
        d.depth[] -= 1
        d.depth[] == 0 && empty!(d.log)
    end
end

function transaction(f, d::UndoDict)
    return atomic(d) do
        push!(d.marks, length(d.log))
        try
            f()
        finally
            pop!(d.marks)
        end
    end
end

function rollback!(d::UndoDict)
    isempty(d.marks) && throw(ArgumentError("no transaction is running"))
    undo!(d, last(d.marks))
    return d
end

function Base.delete!(d::UndoDict, key)
    node = get(d.nodes, key, nothing)
    node === nothing || remove!(d, node)
    return d
end
function Base.pop!(d::UndoDict, key)
    node = get(d.nodes, key, nothing)
    node === nothing && throw(KeyError(key))
    remove!(d, node)
    return node.value
end
Base.pop!(d::UndoDict, key, default) = haskey(d, key) ? pop!(d, key) : default
function Base.pop!(d::UndoDict)
    isempty(d) && throw(ArgumentError("the dictionary is empty"))
    node = d.ring.before
    remove!(d, node)
    return node.key => node.value
end
function Base.empty!(d::UndoDict)
    while !isempty(d)
        remove!(d, d.ring.before)
    end
    return d
end

Base.get!(d::UndoDict, key, default) = get!(() -> default, d, key)
function Base.get!(f::Base.Callable, d::UndoDict{K}, key) where {K}
    haskey(d, key) && return d[key]
    atomic(d) do
        d[key] = f()
    end
    return d[key]
end

Base.push!(d::UndoDict, pair::Pair, more::Pair...) = put_all!(d, (pair, more...))
Base.merge!(d::UndoDict, others::AbstractDict...) = (atomic(() -> foreach(other -> put_all!(d, other), others), d); d)
function put_all!(d::UndoDict, pairs)
    atomic(d) do
        for (key, value) in pairs
            d[key] = value
        end
    end
    return d
end
Base.merge!(combine::Function, d::UndoDict, others::AbstractDict...) = mergewith!(combine, d, others...)
function Base.mergewith!(combine, d::UndoDict, others::AbstractDict...)
    atomic(d) do
        for other in others, (key, value) in other
            d[key] = haskey(d, key) ? combine(d[key], value) : value
        end
    end
    return d
end

joined(d::UndoDict, others) = UndoDict{promote_type(keytype(d), map(keytype, others)...),promote_type(valtype(d), map(valtype, others)...)}(d)
Base.merge(d::UndoDict, others::AbstractDict...) = merge!(joined(d, others), others...)
Base.merge(combine::Function, d::UndoDict, others::AbstractDict...) = mergewith!(combine, joined(d, others), others...)
Base.mergewith(combine, d::UndoDict, others::AbstractDict...) = mergewith!(combine, joined(d, others), others...)

function Base.filter!(f, d::UndoDict)
    atomic(d) do
        for (key, value) in collect(d)
            f(key => value) || delete!(d, key)
        end
    end
    return d
end

function Base.map!(f, values::Base.ValueIterator{<:UndoDict})
    d = values.dict
    atomic(d) do
        for (key, value) in collect(d)
            d[key] = f(value)
        end
    end
    return values
end
