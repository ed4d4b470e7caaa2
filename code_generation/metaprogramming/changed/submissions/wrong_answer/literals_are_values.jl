# Indices are values at run time, so that the type of the result is not inferred.
macro changed(assignment)
    place, operator, right = split_assignment(assignment)
    root, steps = split_place(place)
    code = Any[]
    function noted(ex)
        name = gensym("part")
        push!(code, :(local $name = $ex))
        return name
    end
    objects = [noted(root)]
    keys = Any[]
    for (n, step) in enumerate(steps)
        push!(keys, step isa Symbol ? Val(step) : [noted(key) for key in index_keys(step, objects[end])])
        if n < length(steps) || operator !== nothing
            push!(objects, noted(get_step(objects[end], keys[end])))
        end
    end
    value = noted(operator === nothing ? right : Expr(:call, operator, objects[end], right))
    for n in length(steps):-1:1
        value = noted(set_step(objects[n], value, keys[n]))
    end
    return esc(Expr(:let, Expr(:block), Expr(:block, code..., value)))
end

misuse(ex) = throw(ArgumentError("@changed needs an assignment to a field or an index, not $ex"))

# The left side, the operator or nothing, and the right side.
function split_assignment(ex)
    ex isa Expr && length(ex.args) == 2 || misuse(ex)
    ex.head === :(=) && return ex.args[1], nothing, ex.args[2]
    head = string(ex.head)
    head[end] == '=' && !(head[1] in ".=!<>:" && !(head in ("<<=", ">>=", ">>>="))) || misuse(ex)
    return ex.args[1], Symbol(chop(head)), ex.args[2]
end

# What is before the first step, and the steps: a symbol for a field, a vector of expressions for an index.
function split_place(ex)
    steps = Any[]
    place = ex
    while place isa Expr && (place.head === :ref || place.head === :. && place.args[2] isa QuoteNode)
        pushfirst!(steps, place.head === :ref ? place.args[2:end] : place.args[2].value)
        place = place.args[1]
    end
    isempty(steps) && misuse(ex)
    return place, steps
end

struct First end
struct Last end

# Expressions for the keys of an index; literals become types, so that the compiler knows them.
function index_keys(indices, object)
    n = length(indices)
    return [with_ends(index, object, i, n) for (i, index) in enumerate(indices)]
end
is_literal(index) = index isa Int || index isa QuoteNode && index.value isa Symbol
literal(index) = index isa QuoteNode ? index.value : index

# `begin` and `end` in it, as far as they are those of the object.
with_ends(ex, object, i, n) = ex
function with_ends(ex::Symbol, object, i, n)
    ex === :end && return n == 1 ? :($(lastindex)($object)) : :($(lastindex)($object, $i))
    ex === :begin && return n == 1 ? :($(firstindex)($object)) : :($(first)($(axes)($object, $i)))
    return ex
end
function with_ends(ex::Expr, object, i, n)
    ex.head === :quote && return ex
    ex.head === :ref && return Expr(:ref, with_ends(ex.args[1], object, i, n), ex.args[2:end]...)
    return Expr(ex.head, (with_ends(arg, object, i, n) for arg in ex.args)...)
end

get_step(object, key::Val) = :($(get_field)($object, $key))
get_step(object, keys) = :($(get_index)($object, $(keys...)))
set_step(object, value, key::Val) = :($(set_field)($object, $value, $key))
set_step(object, value, keys) = :($(set_index)($object, $value, $(keys...)))

plain(key) = key
plain(::Val{key}) where {key} = key

@inline get_field(object, ::Val{name}) where {name} = getfield(object, name)
@inline get_index(object, keys...) = getindex(object, map(plain, keys)...)
@inline get_index(object, ::First) = object[firstindex(object)]
@inline get_index(object, ::Last) = object[lastindex(object)]
@inline get_index(object::Tuple, ::First) = object[1]
@inline get_index(object::Tuple, ::Last) = object[length(object)]
@inline get_index(object::Union{Tuple,NamedTuple}, ::Val{key}) where {key} = getfield(object, key)

@generated function set_field(object, value, ::Val{name}) where {name}
    name in fieldnames(object) || return :(throw(ArgumentError(string("no field ", name, " in ", typeof(object)))))
    values = [field === name ? :value : :(getfield(object, $(QuoteNode(field)))) for field in fieldnames(object)]
    return :($(object.name.wrapper)($(values...)))
end
@inline set_field(object::NamedTuple, value, key::Val) = set_index(object, value, key)

@inline function set_index(object, value, keys...)
    result = copy(object)
    setindex!(result, value, map(plain, keys)...)
    return result
end
@inline set_index(object, value, ::First) = set_index(object, value, firstindex(object))
@inline set_index(object, value, ::Last) = set_index(object, value, lastindex(object))

@inline set_index(object::Union{Tuple,NamedTuple}, value, ::First) = set_index(object, value, Val(1))
@inline set_index(object::Union{Tuple,NamedTuple}, value, ::Last) = set_index(object, value, Val(length(object)))
@generated function set_index(object::Tuple, value, ::Val{key}) where {key}
    n = length(object.parameters)
    key isa Int && 1 <= key <= n || return :(throw(BoundsError(object, $(QuoteNode(key)))))
    return Expr(:tuple, (i == key ? :value : :(getfield(object, $i)) for i in 1:n)...)
end
@inline function set_index(object::NTuple{N,Any}, value, key::Integer) where {N}
    1 <= key <= N || throw(BoundsError(object, key))
    return ntuple(i -> i == key ? value : object[i], Val(N))
end
@generated function set_index(object::NamedTuple{names}, value, ::Val{key}) where {names,key}
    i = key isa Symbol ? findfirst(==(key), collect(names)) : key
    i === nothing && return :(throw(ArgumentError(string("no field ", $(QuoteNode(key)), " in ", typeof(object)))))
    1 <= i <= length(names) || return :(throw(BoundsError(object, $i)))
    values = [j == i ? :value : :(getfield(object, $j)) for j in 1:length(names)]
    return :(NamedTuple{$names}(($(values...),)))
end
@inline set_index(object::NamedTuple{names}, value, key::Integer) where {names} =
    NamedTuple{names}(set_index(Tuple(object), value, key))
set_index(object::NamedTuple, value, key::Symbol) = set_index(object, value, Val(key))
