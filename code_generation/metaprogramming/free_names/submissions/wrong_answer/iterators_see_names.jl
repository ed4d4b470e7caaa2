# The iterators of a comprehension see its names.
# What a scope says about names: its own, those that it declares global, and the scope around it.
struct Scope
    locals::Set{Symbol}
    globals::Set{Symbol}
    outer::Union{Scope,Nothing}
end

is_local(name, ::Nothing) = nothing
function is_local(name, scope::Scope)
    name in scope.locals && return true
    name in scope.globals && return false
    return is_local(name, scope.outer)
end

# A scope around some expressions: with these names, and those that are declared or assigned there.
function scope_of(outer, names, bodies...)
    locals, globals, assigned = Set{Symbol}(names), Set{Symbol}(), Set{Symbol}()
    foreach(body -> declare!(locals, globals, assigned, body), bodies)
    for name in assigned
        name in globals || is_local(name, outer) !== nothing || push!(locals, name)
    end
    return Scope(locals, globals, outer)
end

const UPDATES = map(Symbol, ("+=", "-=", "*=", "/=", "//=", "^=", "÷=", "%=", "<<=", ">>=", "|=", "&=", "⊻="))

const CLOSED = (:let, :for, :try, :->, :generator, :flatten, :comprehension, :typed_comprehension, :quote, :inert)

# Collects the names that an expression declares or assigns in the scope that it stands in.
declare!(locals, globals, assigned, ex) = nothing
function declare!(locals, globals, assigned, ex::Expr)
    again(part) = declare!(locals, globals, assigned, part)
    if ex.head in (:local, :global)
        for part in ex.args
            union!(ex.head == :local ? locals : globals, targets(part isa Expr && part.head == :(=) ? part.args[1] : part))
            part isa Expr && part.head == :(=) && again(part.args[2])
        end
    elseif ex.head == :function || (ex.head == :(=) && is_signature(ex.args[1]))
        name = signature(ex.args[1]).name
        name isa Symbol && push!(assigned, name)
    elseif ex.head == :(=) || ex.head in UPDATES
        union!(assigned, targets(ex.args[1]))
        again(ex.args[2])
    elseif ex.head == :while
        again(ex.args[1])
    elseif ex.head == :do
        again(ex.args[1])
    elseif ex.head == :tuple
        foreach(part -> again(part isa Expr && part.head == :(=) ? part.args[2] : part), ex.args)
    elseif !(ex.head in CLOSED)
        foreach(again, ex.args)
    end
    return nothing
end

# The names that the left side of an assignment binds.
targets(name::Symbol) = Symbol[name]
targets(other) = Symbol[]
function targets(ex::Expr)
    ex.head in (:tuple, :parameters) && return reduce(vcat, map(targets, ex.args); init = Symbol[])
    ex.head == :(::) && length(ex.args) == 1 && return Symbol[]
    ex.head in (:(::), :..., :kw, :(=)) && return targets(ex.args[1])
    return Symbol[]
end

is_signature(ex) = ex isa Expr && (ex.head == :call || (ex.head in (:where, :(::)) && is_signature(ex.args[1])))

# The parts of the head of a function: name, positional and keyword arguments, type of the result, parameters.
function signature(ex)
    parameters, result = Any[], nothing
    while ex isa Expr && ex.head in (:where, :(::)) && !(ex.head == :(::) && !is_signature(ex.args[1]) && !is_tuple(ex.args[1]))
        ex.head == :where ? prepend!(parameters, ex.args[2:end]) : (result = ex.args[2])
        ex = ex.args[1]
    end
    name, args = ex isa Expr && ex.head == :call ? (ex.args[1], ex.args[2:end]) :
        is_tuple(ex) ? (nothing, ex.args) :
        ex isa Expr && ex.head == :block ? (nothing, block_arguments(ex)) : (nothing, Any[ex])
    keywords = Any[]
    positional = Any[]
    for arg in args
        arg isa Expr && arg.head == :parameters ? append!(keywords, arg.args) : push!(positional, arg)
    end
    return (name = name, positional = positional, keywords = keywords, result = result, parameters = parameters)
end

is_tuple(ex) = ex isa Expr && ex.head == :tuple
function block_arguments(ex)
    args = filter(part -> !(part isa LineNumberNode), ex.args)
    return Any[args[1], Expr(:parameters, args[2:end]...)]
end

function free_names(ex)
    found = Set{Symbol}()
    visit(ex, scope_of(nothing, (), ex), found)
    return sort!(collect(found))
end

visit(other, scope, found) = nothing
function visit(name::Symbol, scope, found)
    name in (:end, :begin, :true, :false) || Base.isoperator(name) || is_local(name, scope) === true || push!(found, name)
    return nothing
end

function visit(ex::Expr, scope, found)
    go(part) = visit(part, scope, found)
    head, args = ex.head, ex.args
    if head == :(=) && is_signature(args[1]) || head in (:function, :->)
        visit_function(signature(args[1]), args[2:end], scope, found)
    elseif head == :. && length(args) == 2 && args[2] isa QuoteNode
        go(args[1])
    elseif head == :kw
        go(args[2])
    elseif head == :tuple || head == :parameters
        foreach(part -> go(part isa Expr && part.head == :(=) ? part.args[2] : part), args)
    elseif head == :quote
        interpolated(args[1], 1, go)
    elseif head == :let
        visit_let(args[1], args[2], scope, found)
    elseif head == :for
        visit_for(args[1] isa Expr && args[1].head == :block ? args[1].args : Any[args[1]], args[2], scope, found)
    elseif head == :while
        go(args[1])
        visit(args[2], scope_of(scope, (), args[2]), found)
    elseif head == :try
        visit_try(args, scope, found)
    elseif head in (:generator, :filter)
        visit_generator(ex, scope, found)
    elseif head == :where
        names = map(parameter_name, args[2:end])
        inner = Scope(Set{Symbol}(names), Set{Symbol}(), scope)
        foreach(part -> visit_bounds(part, inner, found), args[2:end])
        visit(args[1], inner, found)
    elseif head != :inert
        foreach(go, args)
    end
    return nothing
end

parameter_name(ex) = ex isa Symbol ? ex : ex.head == :comparison ? ex.args[3] : ex.args[1]
visit_bounds(ex, scope, found) = ex isa Expr && foreach(part -> visit(part, scope, found), ex.args)

# What is interpolated into quoted code is evaluated now.
interpolated(ex, depth, go) = nothing
function interpolated(ex::Expr, depth, go)
    if ex.head == :$
        depth == 1 ? foreach(go, ex.args) : foreach(part -> interpolated(part, depth - 1, go), ex.args)
    else
        foreach(part -> interpolated(part, depth + (ex.head == :quote), go), ex.args)
    end
    return nothing
end

function visit_function(head, body, scope, found)
    visit(head.name, scope, found)
    static = Scope(Set{Symbol}(map(parameter_name, head.parameters)), Set{Symbol}(), scope)
    foreach(part -> visit_bounds(part, static, found), head.parameters)
    inner = static
    for arg in vcat(head.positional, head.keywords)
        plain = arg isa Expr && arg.head in (:kw, :(=)) ? arg.args[1] : arg
        plain === arg || visit(arg.args[2], inner, found)        # a default sees the arguments before it
        visit_types(plain, static, found)                        # a type sees none of them
        inner = Scope(Set{Symbol}(targets(plain)), Set{Symbol}(), inner)
    end
    inner = scope_of(inner, (), body...)
    visit(head.result, inner, found)
    foreach(part -> visit(part, inner, found), body)
    return nothing
end

visit_types(other, scope, found) = nothing
function visit_types(ex::Expr, scope, found)
    ex.head == :(::) ? visit(ex.args[end], scope, found) : foreach(part -> visit_types(part, scope, found), ex.args)
    return nothing
end

function visit_let(bindings, body, scope, found)
    list = bindings isa Expr && bindings.head == :block ? bindings.args : Any[bindings]
    inner = scope
    for binding in list
        if binding isa Expr && binding.head == :(=) && is_signature(binding.args[1])
            inner = Scope(Set{Symbol}([signature(binding.args[1]).name]), Set{Symbol}(), inner)
            visit(binding, inner, found)
        elseif binding isa Expr && binding.head == :(=)
            visit(binding.args[2], inner, found)
            visit_types(binding.args[1], inner, found)
            inner = Scope(Set{Symbol}(targets(binding.args[1])), Set{Symbol}(), inner)
        else
            inner = Scope(Set{Symbol}(targets(binding)), Set{Symbol}(), inner)
        end
    end
    visit(body, scope_of(inner, (), body), found)
    return nothing
end

function visit_for(ranges, body, scope, found)
    inner = scope
    for range in ranges
        visit(range.args[2], inner, found)
        inner = Scope(Set{Symbol}(targets(range.args[1])), Set{Symbol}(), inner)
    end
    visit(body, scope_of(inner, (), body), found)
    return nothing
end

function visit_try(args, scope, found)
    visit(args[1], scope_of(scope, (), args[1]), found)
    for (k, part) in enumerate(args[3:end])
        part isa Expr || continue
        names = k == 1 && args[2] isa Symbol ? (args[2],) : ()
        inner = Scope(Set{Symbol}(names), Set{Symbol}(), scope)
        visit(part, scope_of(inner, (), part), found)
    end
    return nothing
end

# All iterators of a generator are evaluated outside of it.
function visit_generator(ex, scope, found)
    condition = Any[]
    ranges = ex.args[2:end]
    if ranges[1] isa Expr && ranges[1].head == :filter
        condition, ranges = ranges[1].args[1:1], ranges[1].args[2:end]
    end
    names = reduce(vcat, [targets(range.args[1]) for range in ranges])
    inner = scope_of(Scope(Set{Symbol}(names), Set{Symbol}(), scope), (), ex.args[1], condition...)
    foreach(part -> visit(part, inner, found), Any[ex.args[1]; condition; [range.args[2] for range in ranges]])
    return nothing
end
