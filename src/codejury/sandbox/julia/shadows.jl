# A candidate may define a function of its own under one of Julia's names: honestly (`show` for its type,
# without `Base.`), or so that `isempty(answer(x))` in a test means what it likes. In the tests such a name
# means Julia's function for plain data, and the candidate's only where a value of its own takes part.
# The name the test case asks for is always the candidate's.

struct Chooser
    scope::Scope
    name::Symbol
    julias::Any
    own::Any
end

const Shadows = Dict{Symbol,Chooser}

function find_shadows(scope::Scope)
    shadows = Shadows()
    for name in names(scope.home, all = true)
        name !== scope.asked_for && isdefined(scope.pristine, name) && isdefined(scope.home, name) || continue
        is_own(scope, Base.binding_module(scope.home, name)) || continue
        julias, own = Core.eval(scope.pristine, name), Core.eval(scope.home, name)
        julias isa Function && own isa Function && !(name in (:eval, :include)) || continue
        shadows[name] = Chooser(scope, name, julias, own)
    end
    return shadows
end

# Called from test code, that is, in the newest world.
function (chooser::Chooser)(@nospecialize(args...); keywords...)
    scope, name = chooser.scope, chooser.name
    name in COMPARISONS && length(args) == 2 &&
        return in_world(scope.world, compare, scope, comparison(name), args[1], args[2], Any[(k, v) for (k, v) in keywords])
    in_world(scope.world, all_plain, scope, args) || return chooser.own(args...; keywords...)
    return in_world(scope.world, apply_to_all, chooser.julias, args, Any[(k, v) for (k, v) in keywords])
end

all_plain(scope::Scope, @nospecialize(values)) = all(value -> is_plain(scope, value), values)
apply_to_all(@nospecialize(f), args, keywords) = isempty(keywords) ? f(args...) : f(args...; keywords...)

"An expression of a test with every taken name replaced by its chooser, where it is used and not where it is bound."
function replace_names(shadows::Shadows, @nospecialize(ex))
    ex isa Symbol && return get(shadows, ex, ex)
    ex isa Expr && !(ex.head in (:quote, :inert)) || return ex
    again(arg) = replace_names(shadows, arg)
    ex.head === :macrocall && return Expr(:macrocall, ex.args[1], Any[replace_tested(shadows, arg) for arg in ex.args[2:end]]...)
    ex.head in (:kw, :(=), :->) && return Expr(ex.head, ex.args[1], map(again, ex.args[2:end])...)
    ex.head === :call && is_taken_with_dot(shadows, ex.args[1]) &&
        return Expr(:., shadows[undotted(ex.args[1])], Expr(:tuple, map(again, ex.args[2:end])...))
    return Expr(ex.head, map(again, ex.args)...)
end

# What an `@test` compares with is the judge's business already.
function replace_tested(shadows::Shadows, @nospecialize(ex))
    again(arg) = replace_names(shadows, arg)
    is_comparison(ex) && return Expr(:call, ex.args[1], map(again, ex.args[2:end])...)
    ex isa Expr && ex.head === :comparison && return Expr(:comparison, Any[isodd(i) ? again(arg) : arg for (i, arg) in enumerate(ex.args)]...)
    return again(ex)
end

is_taken_with_dot(shadows::Shadows, @nospecialize(name)) =
    name isa Symbol && undotted(name) !== name && haskey(shadows, undotted(name))

# `.==` -> `==`
undotted(name::Symbol) = (text = String(name); startswith(text, ".") && length(text) > 1 ? Symbol(text[2:end]) : name)

# ---- names the candidate has not taken, and shall not take while it is tested

"""
Settle what Julia's names in the tests mean before the first test runs: once a module has looked a name
up, Julia refuses to define it there. Names that a test binds itself stay free.
"""
function settle_names(scope::Scope, tests::Vector{Parsed})
    bound = Symbol[]
    foreach(statement -> collect_bound!(bound, statement.code), (s for parsed in tests for s in parsed.statements))
    for name in names_in_tests(tests)
        # a look-up that the compiler cannot leave out, as it does with an `isdefined` that nobody asks about
        name === scope.asked_for || name in bound || Base.binding_module(scope.home, name)
    end
end

const BINDING_HEADS = (:(=), :function, :macro, :->, :local, :global, :const, :struct, :abstract, :primitive)

function collect_bound!(bound::Vector{Symbol}, @nospecialize(ex))
    ex isa Expr || return
    ex.head in BINDING_HEADS && foreach(arg -> collect_names!(bound, arg), ex.head === :struct ? ex.args[2:2] : ex.args[1:1])
    foreach(arg -> collect_bound!(bound, arg), ex.args)
end
