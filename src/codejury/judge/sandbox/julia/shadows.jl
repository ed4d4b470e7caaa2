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

"What stands in the tests in place of a name."
const Meanings = Dict{Symbol,Any}

"""
Find out what Julia's names in a test mean; `taken` are those that the candidate's main code has set. A
`Chooser` where the candidate took the name. Where it could still take it while it is tested, the name is
replaced by what it means now. Names that a test binds itself stay as they are.
"""
function find_meanings(scope::Scope, taken::Set{Symbol}, parts::Vector{Parsed})
    meanings = Meanings()
    bound = bound_names(parts)
    for name in unique(Symbol[undotted(name) for name in names_in_tests(parts)])
        (name === scope.asked_for || name in (:eval, :include)) && continue
        # A test's own; where looking up settles, it could not be bound by its test any more.
        name in bound && !(name in taken) && continue
        is_defined(scope.pristine, name) && is_defined(scope.home, name) || continue
        julias, own = Core.eval(scope.pristine, name), Core.eval(scope.home, name)
        if julias !== own
            julias isa Function && own isa Function && (meanings[name] = Chooser(scope, name, julias, own))
        elseif !LOOKING_UP_SETTLES[] && !(name in bound) && julias isa Union{Function,Type}
            meanings[name] = julias
        end
    end
    return meanings
end

# Asked in the newest world: from 1.12 on an older one, such as the judge's, does not see what the candidate
# defined. `isdefined` is a builtin, which nobody can add methods to.
is_defined(m::Module, name::Symbol) = Base.invokelatest(isdefined, m, name)

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

# Code whose names are not looked up where it stands.
const UNTOUCHED_HEADS = (:quote, :inert, :struct, :abstract, :primitive, :macro, :module, :using, :import, :export, :public, :global, :local)

"An expression of a test with every name replaced by what it means, where it is used and not where it is bound."
function replace_names(meanings::Meanings, @nospecialize(ex))
    ex isa Symbol && return get(meanings, ex, ex)
    ex isa Expr && !(ex.head in UNTOUCHED_HEADS) || return ex
    again(arg) = replace_names(meanings, arg)
    ex.head === :macrocall && return replace_in_macro(meanings, ex)
    ex.head in (:kw, :(=), :->, :function) && return Expr(ex.head, ex.args[1], map(again, ex.args[2:end])...)
    ex.head === :parameters && return Expr(:parameters, Any[arg isa Symbol ? arg : again(arg) for arg in ex.args]...)
    ex.head === :try && return Expr(:try, again(ex.args[1]), ex.args[2], map(again, ex.args[3:end])...)
    ex.head === :call && has_meaning_with_dot(meanings, ex.args[1]) &&
        return Expr(:., meanings[undotted(ex.args[1])], Expr(:tuple, map(again, ex.args[2:end])...))
    return Expr(ex.head, map(again, ex.args)...)
end

# Macros that run their argument as it is written.
const TRANSPARENT_MACROS = Tuple(Symbol("@", name) for name in
    ("inferred", "allocated", "elapsed", "timed", "time", "async", "sync", "view", "views", "inbounds"))

# Any other macro may read a name as a name: only one that the candidate took is replaced there.
function replace_in_macro(meanings::Meanings, ex::Expr)
    name = macro_name(ex)
    # `@.` puts dots to names, and to nothing else: they come first.
    name === Symbol("@__dot__") && return replace_names(meanings, Base.Broadcast.__dot__(ex.args[end]))
    name in TEST_MACROS && return Expr(:macrocall, ex.args[1], Any[replace_tested(meanings, arg) for arg in ex.args[2:end]]...)
    name in TRANSPARENT_MACROS || (meanings = filter(entry -> entry.second isa Chooser, meanings))
    return Expr(:macrocall, ex.args[1], Any[replace_names(meanings, arg) for arg in ex.args[2:end]]...)
end

# What an `@test` compares with is the judge's business already.
function replace_tested(meanings::Meanings, @nospecialize(ex))
    again(arg) = replace_names(meanings, arg)
    is_comparison(ex) && return Expr(:call, ex.args[1], map(again, ex.args[2:end])...)
    ex isa Expr && ex.head === :comparison && return Expr(:comparison, Any[isodd(i) ? again(arg) : arg for (i, arg) in enumerate(ex.args)]...)
    return again(ex)
end

has_meaning_with_dot(meanings::Meanings, @nospecialize(name)) =
    name isa Symbol && undotted(name) !== name && haskey(meanings, undotted(name))

# `.==` -> `==`
undotted(name::Symbol) = (text = String(name); startswith(text, ".") && length(text) > 1 ? Symbol(text[2:end]) : name)

# ---- names the candidate has not taken, and shall not take while it is tested

"""
Does Julia refuse to define a name in a module that has looked it up? Up to 1.11 it does; from 1.12 on a name
can change its meaning at any time. Tried, because it is no matter of the version's number.
"""
function looking_up_settles()
    home = Module(:Trial)
    Core.eval(home, :(identity(1)))
    return try Core.eval(home, :(identity(x) = x)); false catch; true end
end

# Found out by each process, not by the one that compiled the judge in advance: see `__init__`.
const LOOKING_UP_SETTLES = Ref(true)

"Look up Julia's names in the tests before the first test runs. Names that a test binds itself stay free."
function settle_names(scope::Scope, parts::Vector{Parsed})
    bound = bound_names(parts)
    for name in names_in_tests(parts)
        # a look-up that the compiler cannot leave out, as it does with an `isdefined` that nobody asks about
        name === scope.asked_for || name in bound || Base.binding_module(scope.home, name)
    end
end

function bound_names(parts::Vector{Parsed})
    bound = Symbol[]
    foreach(statement -> collect_bound!(bound, statement.code), (s for parsed in parts for s in parsed.statements))
    return bound
end

const BINDING_HEADS = (:(=), :function, :macro, :->, :local, :global, :const, :struct, :abstract, :primitive)

function collect_bound!(bound::Vector{Symbol}, @nospecialize(ex))
    ex isa Expr || return
    ex.head in BINDING_HEADS && foreach(arg -> collect_names!(bound, arg), ex.head === :struct ? ex.args[2:2] : ex.args[1:1])
    foreach(arg -> collect_bound!(bound, arg), ex.args)
end
