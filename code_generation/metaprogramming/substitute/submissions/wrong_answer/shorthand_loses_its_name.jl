# `f(; x)` gets the value without the name.
# Walks through code with what is known about the names in it. The same walk substitutes and finds out which names are
# free: those that are looked up and are no local variable of a scope.
struct Scope
    subs::Dict{Symbol,Any}      # what stands in for a name here
    own::Set{Symbol}            # the local variables of all scopes around
    free::Set{Symbol}           # the names that were met and mean global variables, of the whole walk
    taken::Set{Symbol}          # the names that new ones must not have
end

function substitute(ex, name::Symbol, value)
    taken = union!(symbols!(Set{Symbol}(), ex), symbols!(Set{Symbol}(), value))
    return walk(ex, Scope(Dict{Symbol,Any}(name => value), Set{Symbol}(), Set{Symbol}(), taken))
end

symbols!(found, ex::Symbol) = push!(found, ex)
symbols!(found, ex::QuoteNode) = symbols!(found, ex.value)
symbols!(found, ex::Expr) = foldl(symbols!, ex.args; init = found)
symbols!(found, ex) = found

function free_names(ex)
    scope = Scope(Dict{Symbol,Any}(), Set{Symbol}(), Set{Symbol}(), Set{Symbol}())
    walk(ex, scope)
    return scope.free
end

"The scope within `scope` that has the local variables `names`; `whole` is the code that it is about."
function enter(scope::Scope, names, whole)
    subs = filter(pair -> !(pair.first in names), scope.subs)
    unbound = nothing
    for name in names
        clashing = [k for (k, v) in subs if v isa Union{Symbol,Expr} && !(k in scope.own) && name in free_names(v)]
        isempty(clashing) && continue
        unbound === nothing && (unbound = free_names(whole))
        any(k -> k in unbound, clashing) || continue
        subs[name] = fresh!(scope.taken, name)
    end
    return Scope(subs, union(scope.own, names), scope.free, scope.taken)
end

function fresh!(taken, name)
    i = 1
    while Symbol(name, i) in taken
        i += 1
    end
    push!(taken, Symbol(name, i))
    return Symbol(name, i)
end

walk(ex, scope::Scope) = ex
function walk(ex::Symbol, scope::Scope)
    ex in scope.own || push!(scope.free, ex)
    return get(scope.subs, ex, ex)
end
walk_all(args, scope) = Any[walk(arg, scope) for arg in args]

# The new name of a local variable, or the name itself.
binder(name::Symbol, scope::Scope) = (new = get(scope.subs, name, name); new isa Symbol ? new : name)

function walk(ex::Expr, scope::Scope)
    head, args = ex.head, ex.args
    head === :quote && return Expr(:quote, walk_quoted(args[1], scope, 1))
    head === :. && return Expr(:., walk(args[1], scope), args[2] isa QuoteNode ? args[2] : walk(args[2], scope))
    head === :kw && return Expr(:kw, args[1], walk(args[2], scope))
    head === :parameters && return Expr(:parameters, (named(arg, scope) for arg in args)...)
    head === :tuple && return Expr(:tuple, (is_head(arg, :(=)) ? named(arg, scope) : walk(arg, scope) for arg in args)...)
    head === :-> && return walk_function(ex, args[1], args[2], scope)
    head === :function && return length(args) == 1 ? ex : walk_function(ex, args[1], args[2], scope)
    head === :let && return walk_let(ex, scope)
    head === :for && return walk_for(ex, scope)
    head === :while && return Expr(:while, walk(args[1], scope), walk_body(args[2], scope))
    head === :generator && return walk_generator(ex, scope)
    head === :try && return walk_try(ex, scope)
    head === :where && return walk_where(ex, scope)
    head === :local && return Expr(:local, (is_assignment(arg) ? walk(arg, scope) : target(arg, scope) for arg in args)...)
    if is_assignment(ex)
        is_definition(ex) && return walk_function(ex, args[1], args[2], scope)
        return Expr(head, target(args[1], scope), walk(args[2], scope))
    end
    return Expr(head, walk_all(args, scope)...)
end

is_head(ex, heads...) = ex isa Expr && ex.head in heads
const UPDATES = Set(Symbol.(split("+= -= *= /= //= \\= ^= ÷= %= <<= >>= >>>= |= &= ⊻= :=")))
is_assignment(ex) = ex isa Expr && (ex.head === :(=) || ex.head in UPDATES)
function is_definition(ex)
    is_head(ex, :(=)) || return false
    left = ex.args[1]
    while is_head(left, :where, :(::))
        left = left.args[1]
    end
    return is_head(left, :call)
end

# `name = value` in a call or a named tuple, or just a name that stands for both.
function named(arg, scope)
    if arg isa Symbol
        value = walk(arg, scope)
        return value
    elseif is_head(arg, :kw, :(=))
        return Expr(arg.head, arg.args[1], walk(arg.args[2], scope))
    end
    return walk(arg, scope)
end

function walk_quoted(ex, scope, depth)
    ex isa Expr || return ex
    if ex.head === :$
        depth == 1 && return Expr(:$, walk_all(ex.args, scope)...)
        return Expr(:$, (walk_quoted(arg, scope, depth - 1) for arg in ex.args)...)
    end
    return Expr(ex.head, (walk_quoted(arg, scope, depth + (ex.head === :quote)) for arg in ex.args)...)
end

# Left sides of assignments.
target(ex, scope) = ex
target(ex::Symbol, scope) = binder(ex, scope)
function target(ex::Expr, scope)
    ex.head in (:tuple, :parameters, :...) && return Expr(ex.head, (target(arg, scope) for arg in ex.args)...)
    ex.head === :(::) && return Expr(:(::), target(ex.args[1], scope), walk_all(ex.args[2:end], scope)...)
    return walk(ex, scope)
end

# The names that a pattern binds.
bound!(names, ex) = names
bound!(names, ex::Symbol) = push!(names, ex)
function bound!(names, ex::Expr)
    if ex.head === :tuple || ex.head === :parameters || ex.head === :...
        foreach(arg -> bound!(names, arg), ex.args)
    elseif ex.head === :(::) && length(ex.args) == 2 || ex.head === :kw
        bound!(names, ex.args[1])
    end
    return names
end
bound(ex) = bound!(Set{Symbol}(), ex)

# The names that a scope with this body declares (`certain`), and those that it assigns.
assigned(ex) = (found = (certain = Set{Symbol}(), maybe = Set{Symbol}()); assigned!(found, ex); found)
function assigned!(found, ex)
    ex isa Expr || return
    head, args = ex.head, ex.args
    if head in (:quote, :->, :let, :for, :try)
        return
    elseif head === :while
        assigned!(found, args[1])
    elseif head === :function
        left = args[1]
        while is_head(left, :where, :(::))
            left = left.args[1]
        end
        is_head(left, :call) && bound!(found.maybe, left.args[1])
        left isa Symbol && push!(found.maybe, left)
    elseif head === :generator
        foreach(arg -> is_head(arg, :(=)) && assigned!(found, arg.args[2]), args[2:end])
    elseif head === :local
        for arg in args
            bound!(found.certain, is_assignment(arg) ? arg.args[1] : arg)
            is_assignment(arg) && assigned!(found, arg.args[2])
        end
    elseif head === :tuple
        foreach(arg -> assigned!(found, is_head(arg, :(=)) ? arg.args[2] : arg), args)
    elseif head === :kw
        assigned!(found, args[2])
    elseif is_definition(ex)
        left = args[1]
        while is_head(left, :where, :(::))
            left = left.args[1]
        end
        bound!(found.maybe, left.args[1])
    else
        is_assignment(ex) && bound!(found.maybe, args[1])
        foreach(arg -> assigned!(found, arg), args)
    end
    return
end
locals_of(ex, scope) = (found = assigned(ex); union(found.certain, setdiff(found.maybe, scope.own)))

walk_body(ex, scope, whole = ex) = walk(ex, enter(scope, locals_of(ex, scope), Expr(:let, Expr(:block), whole)))

function walk_function(ex, signature, body, scope)
    inner = signature
    layers = Any[]
    while is_head(inner, :where) || (is_head(inner, :(::)) && is_head(inner.args[1], :call, :where, :tuple) && ex.head !== :->)
        push!(layers, inner)
        inner = inner.args[1]
    end
    # Type variables, from the outermost `where` to the innermost.
    name, params = nothing, Any[]
    if is_head(inner, :call)
        name = inner.args[1] isa Symbol ? binder(inner.args[1], scope) : walk(inner.args[1], scope)
        name isa Symbol && inner.args[1] isa Symbol && !(inner.args[1] in scope.own) && push!(scope.free, inner.args[1])
    end
    new_layers = Any[]
    for layer in layers
        if layer.head === :where
            vars = Any[]
            for var in layer.args[2:end]
                scope = enter(scope, type_variable(var), ex)
                push!(vars, walk_type_variable(var, scope))
            end
            push!(new_layers, vars)
        else
            push!(new_layers, layer.args[2])
        end
    end
    # The arguments, in the order in which their default values are computed.
    listed = is_head(inner, :call) ? inner.args[2:end] : is_head(inner, :tuple, :block) ? filter(a -> !(a isa LineNumberNode), inner.args) : Any[inner]
    keywords = filter(arg -> is_head(arg, :parameters), listed)
    positional = filter(arg -> !is_head(arg, :parameters), listed)
    new_positional = Any[]
    for arg in positional
        new, scope = walk_parameter(arg, scope, ex)
        push!(new_positional, new)
    end
    new_keywords = Any[]
    for group in keywords
        news = Any[]
        for arg in group.args
            new, scope = walk_parameter(arg, scope, ex)
            push!(news, new)
        end
        push!(new_keywords, Expr(:parameters, news...))
    end
    all_new = Any[new_keywords..., new_positional...]
    result = is_head(inner, :call) ? Expr(:call, name, all_new...) : is_head(inner, :tuple, :block) ? Expr(inner.head, all_new...) : all_new[1]
    for (layer, new) in zip(reverse(layers), reverse(new_layers))
        result = layer.head === :where ? Expr(:where, result, new...) : Expr(:(::), result, walk(new, scope))
    end
    return Expr(ex.head, result, walk_body(body, scope, ex))
end

# A parameter as it is afterwards, and the scope that has it.
function walk_parameter(arg, scope, whole)
    if is_head(arg, :kw, :(=))
        default = walk(arg.args[2], scope)
        new, scope = walk_parameter(arg.args[1], scope, whole)
        return Expr(arg.head, new, default), scope
    end
    names = bound(arg)
    outer = scope
    scope = enter(scope, names, whole)
    return pattern(arg, scope, outer), scope
end

# The pattern of parameters: its types belong to the scope around.
pattern(ex, scope, outer) = ex
pattern(ex::Symbol, scope, outer) = binder(ex, scope)
function pattern(ex::Expr, scope, outer)
    ex.head === :(::) && length(ex.args) == 1 && return Expr(:(::), walk(ex.args[1], outer))
    ex.head === :(::) && return Expr(:(::), pattern(ex.args[1], scope, outer), walk(ex.args[2], outer))
    return Expr(ex.head, (pattern(arg, scope, outer) for arg in ex.args)...)
end

type_variable(var) = Set([var isa Symbol ? var : is_head(var, :comparison) ? var.args[3] : var.args[1]])
function walk_type_variable(var, scope)
    var isa Symbol && return binder(var, scope)
    is_head(var, :comparison) && return Expr(:comparison, (a isa Symbol && i == 3 ? binder(a, scope) : walk(a, scope) for (i, a) in enumerate(var.args))...)
    return Expr(var.head, binder(var.args[1], scope), walk_all(var.args[2:end], scope)...)
end

function walk_where(ex, scope)
    vars = Any[]
    for var in ex.args[2:end]
        scope = enter(scope, type_variable(var), ex)
        push!(vars, walk_type_variable(var, scope))
    end
    return Expr(:where, walk(ex.args[1], scope), vars...)
end

function walk_let(ex, scope)
    bindings = is_head(ex.args[1], :block) ? ex.args[1].args : Any[ex.args[1]]
    new = Any[]
    for binding in bindings
        if is_definition(binding)
            found = assigned(binding)
            scope = enter(scope, found.maybe, ex)
            push!(new, walk(binding, scope))
        elseif is_head(binding, :(=))
            value = walk(binding.args[2], scope)
            scope = enter(scope, bound(binding.args[1]), ex)
            push!(new, Expr(:(=), target(binding.args[1], scope), value))
        else
            scope = enter(scope, bound(binding), ex)
            push!(new, target(binding, scope))
        end
    end
    body = walk_body(ex.args[2], scope)
    return Expr(:let, is_head(ex.args[1], :block) ? Expr(:block, new...) : new[1], body)
end

function walk_for(ex, scope)
    several = is_head(ex.args[1], :block)
    new = Any[]
    for iteration in (several ? ex.args[1].args : Any[ex.args[1]])
        values = walk(iteration.args[2], scope)
        scope = enter(scope, bound(iteration.args[1]), ex)
        push!(new, Expr(:(=), target(iteration.args[1], scope), values))
    end
    return Expr(:for, several ? Expr(:block, new...) : new[1], walk_body(ex.args[2], scope))
end

# All iterators are computed outside; the condition and the body see the variables of all.
function walk_generator(ex, scope)
    filtered = is_head(ex.args[2], :filter)
    iterations = filtered ? ex.args[2].args[2:end] : ex.args[2:end]
    values = Any[walk(iteration.args[2], scope) for iteration in iterations]
    inner = enter(scope, foldl(union!, (bound(iteration.args[1]) for iteration in iterations)), ex)
    new = Any[Expr(:(=), target(i.args[1], inner), value) for (i, value) in zip(iterations, values)]
    filtered && (new = Any[Expr(:filter, walk_body(ex.args[2].args[1], inner), new...)])
    return Expr(:generator, walk_body(ex.args[1], inner), new...)
end

function walk_try(ex, scope)
    args = ex.args
    new = Any[walk_body(args[1], scope)]
    caught = enter(scope, bound(args[2]), ex)
    push!(new, args[2] isa Symbol ? binder(args[2], caught) : args[2])
    push!(new, args[3] isa Expr ? walk_body(args[3], caught) : args[3])
    append!(new, (arg isa Expr ? walk_body(arg, scope) : arg for arg in args[4:end]))
    return Expr(:try, new...)
end
