# A unit test taken apart: what the candidate runs, and what the referee decides. Only expressions are looked at;
# nothing of a candidate is needed for it.
#
#   let A = [3, 1]                  the candidate's              the referee's
#       n = 2                       let A = [3, 1]               let A = [3, 1]; n = 2
#       sort_it!(A)                     sort_it!(A)
#       @test A == [1, 3]               <check 1: A>                 <check 1>: <hole 1> == [1, 3]
#       @test f(A) == n                 <check 2: f(A)>              <check 2>: <hole 1> == n
#   end                             end                          end
#
# A name that the referee does not know is the candidate's: a part that needs one is a hole, evaluated there.
# Variables are of three kinds. `theirs`: some value of it comes from the candidate's code, which alone has it.
# `exposed`: made without it, and seen by its code, which may have changed it; both sides have it. The rest
# is the referee's alone, and never reaches the candidate: expected values are.
#
# A comparison that the candidate's process makes, as in `ok = f(3) == 42`, is no evidence: what it sets is `judged`,
# and a check that is made of it was decided by the candidate. A function of the set-up that compares something on its
# way to a value, and needs the candidate's code, has only helped: its value is the referee's to decide, unless it says
# no more than yes or no.

"This test cannot be split; it is decided in the candidate's process."
struct Whole <: Exception
    reason::String
end

struct SplitTest
    theirs::Vector{Statement}
    ours::Vector{Statement}
    teardown::Vector{Statement}
    reveals::Bool     # the candidate's part holds a comparison, and so what is expected
end

mutable struct Splitter
    home::Module                    # where the referee knows names from
    asked_for::Symbol
    bound::Set{Symbol}
    theirs::Set{Symbol}
    exposed::Dict{Symbol,Int}       # with the place where the candidate's code first sees it
    scalars::Set{Symbol}            # variables that hold numbers, texts and the like, and so cannot be changed
    needed::Set{Symbol}             # variables that the candidate's part is made of
    place::Int
    judged::Set{Symbol}             # variables that hold what the candidate's process compared
    helped::Set{Symbol}             # variables that hold what a helper gave there
    deciders::Set{Symbol}           # functions of the test's own that compare
    helpers::Set{Symbol}            # functions of the set-up that do
    reveals::Bool                   # see `SplitTest`
    checks::Int
    loops::Int
    nodes::Int
end

Splitter(home::Module, asked_for::Symbol, shared::Set{Symbol}, judged::Set{Symbol}) =
    Splitter(home, asked_for, Set{Symbol}(), copy(shared), Dict{Symbol,Int}(), Set{Symbol}(), Set{Symbol}(), 0, copy(judged), Set{Symbol}(), Set{Symbol}(), Set{Symbol}(), false, 0, 0, 0)

# What has an effect or a cause outside of the test's own values: files, time, chance and tasks are the candidate's.
const IMPURE = Set{Symbol}([:rand, :randn, :rand!, :randn!, :shuffle, :shuffle!, :randperm, :randcycle, :randsubseq, :randstring, :randexp,
    :time, :time_ns, :now, :today, :tempname, :mktemp, :mktempdir, :tempdir, :pwd, :cd, :open, :close, :read, :read!, :write, :readline,
    :readlines, :eachline, :rm, :cp, :mv, :mkdir, :mkpath, :touch, :isfile, :isdir, :ispath, :readdir, :stat, :filesize, :run, :stdout,
    :stderr, :stdin, :println, :print, :show, :display, :redirect_stdout, :redirect_stderr, :objectid, :gensym, :eval, :include, :include_string,
    :Task, :Channel, :Timer, :Condition, :ReentrantLock, :schedule, :yield, :yieldto, :sleep, :wait, :fetch, :take!, :put!, :current_task, :lock,
    :unlock, :notify, :ENV, :ARGS, :Threads, :getpid, :GC, :finalizer, :WeakRef, :ccall, :methods, :hasmethod, :applicable, :which, :Main,
    :evalfile, :download, :kill, :symlink, :invokelatest, :precision, :setprecision, :rounding, :setrounding, :methodswith, :code_lowered, :code_typed, :return_types, :names, :isdefined, :atexit, :exit,
    Symbol("@async"), Symbol("@sync"), Symbol("@spawn"), Symbol("@task"), Symbol("@elapsed"), Symbol("@time"), Symbol("@timed"),
    Symbol("@allocated"), Symbol("@eval"), Symbol("@__MODULE__"), Symbol("@__FILE__"), Symbol("@__DIR__"), Symbol("@which"),
    Symbol("@isdefined"), Symbol("@gensym"), Symbol("@macroexpand"), Symbol("@threads"), Symbol("@warn"), Symbol("@info"), Symbol("@error")])

"""
The two parts of a unit test; `shared` names are set by one test and used by another, and those of them that are
`judged` grow. Throws Whole if it has none.
"""
function split_test(home::Module, asked_for::Symbol, shared::Set{Symbol}, setup::Parsed, code::Parsed, teardown::Parsed, judged::Set{Symbol})
    all(parsed_well, (setup, code, teardown)) || throw(Whole("it does not parse"))
    s = Splitter(home, asked_for, shared, judged)
    statements = Statement[Statement[Statement(0, without_references(st.code)) for st in setup.statements];
                           Statement[Statement(st.line, without_references(st.code)) for st in code.statements]]
    any(st -> holds_checks(st.code, true), teardown.statements) && throw(Whole("a check in its teardown"))
    statements = with_own_names(home, statements)
    foreach(st -> bind_names!(s.bound, st.code), statements)
    statements = Statement[Statement(st.line, unrolled(s, st.code)) for st in statements]
    foreach(st -> expose_to_teardown!(s, st.code), teardown.statements)
    find_helpers!(s, s.helpers, statements[1:length(setup.statements)])
    find_helpers!(s, s.deciders, statements[length(setup.statements)+1:end])
    classify!(s, statements)
    union!(judged, intersect(shared, s.judged))
    pairs = project_all(s, statements)
    theirs = Statement[Statement(line, their) for (line, their, _) in pairs if their !== nothing]
    ours = Statement[Statement(line, our) for (line, _, our) in pairs if our !== nothing]
    return SplitTest(theirs, ours, Statement[Statement(0, without_references(st.code)) for st in teardown.statements], s.reveals)
end

# The candidate's process runs it after all the rest.
expose_to_teardown!(s::Splitter, @nospecialize(ex)) =
    foreach(name -> s.exposed[name] = typemax(Int) - 1, intersect(used_names(ex), s.bound))

"The names that one of these tests sets and another one uses: the candidate's process keeps them."
function shared_names(tests::Vector{Parsed})
    bound = Set{Symbol}[bound_in(test) for test in tests]
    shared = Set{Symbol}()
    for (i, test) in enumerate(tests)
        free = setdiff(union(Set{Symbol}(), (used_names(st.code) for st in test.statements)...), bound[i])
        foreach(st -> setdiff!(free, inner_names(st.code)), test.statements)
        foreach(j -> j == i || union!(shared, intersect(free, bound[j])), 1:length(tests))
    end
    return shared
end

inner_names(@nospecialize(ex)) = (found = Set{Symbol}(); bind_names!(found, ex); found)

# What a `let` or a loop binds is gone behind it.
bound_in(parsed::Parsed) = union(Set{Symbol}(),
    (assigned_names(st.code) for st in parsed.statements if st.code isa Expr && !(st.code.head in (:let, :for, :macrocall)))...)

# Macros that the parser names by a reference travel as a path.
function without_references(@nospecialize(ex))
    ex isa GlobalRef && return Expr(:., Symbol(nameof(ex.mod)), QuoteNode(ex.name))
    ex isa Expr || return ex
    return Expr(ex.head, Any[without_references(arg) for arg in ex.args]...)
end

# `@test all(f(x) == x^2 for x in 1:3)` is a loop of checks, and `all(x -> ..., 1:3)` is too.
function unrolled(s::Splitter, @nospecialize(ex))
    ex isa Expr && !(ex.head in (:quote, :inert)) || return ex
    ex.head === :macrocall && macro_name(ex) === Symbol("@test") && length(ex.args) == 3 ||
        return Expr(ex.head, Any[unrolled(s, arg) for arg in ex.args]...)
    conditions = Any[plain_all(named_all(s, condition)) for condition in conjuncts(ex.args[3])]
    any(condition -> is_sequence(condition) || is_let(condition) || is_loop_of_checks(s, condition), conditions) ||
        return Expr(:macrocall, ex.args[1], ex.args[2], foldr((a, b) -> Expr(:&&, a, b), conditions))
    return Expr(:block, Any[unrolled_condition(s, ex, condition) for condition in conditions]...)
end

# `all(xs) do x ... end` and `all(map(x -> ..., xs))` are `all(x -> ..., xs)`, `all([x == 1 for x in xs])` is one of a
# generator, and `!any(x == 1 for x in xs)` is `all(!(x == 1) for x in xs)`.
function plain_all(@nospecialize(ex))
    ex isa Expr || return ex
    ex.head === :do && is_call(ex.args[1]) && ex.args[1].args[1] === :all && return Expr(:call, :all, ex.args[2], ex.args[1].args[2:end]...)
    if is_call(ex) && ex.args[1] === :all && length(ex.args) == 2 && ex.args[2] isa Expr
        what = ex.args[2]
        what.head === :comprehension && is_generator(what.args[1]) && return Expr(:call, :all, what.args[1])
        is_call(what) && what.args[1] === :map && length(what.args) == 3 && return Expr(:call, :all, what.args[2:3]...)
    end
    ex.head === :call && ex.args[1] === :! && is_call(ex.args[2]) && ex.args[2].args[1] === :any || return ex
    what = ex.args[2].args[2:end]
    length(what) == 1 && what[1] isa Expr && what[1].head === :comprehension && (what = what[1].args)
    return length(what) == 1 && is_generator(what[1]) ? Expr(:call, :all, negated(what[1])) : ex
end

# `all(f, xs)` is `all(f(x) for x in xs)`, and so is `any`: what the candidate's function gives is a value.
function named_all(s::Splitter, @nospecialize(ex))
    ex isa Expr && ex.head === :call || return ex
    ex.args[1] === :! && length(ex.args) == 2 && return Expr(:call, :!, named_all(s, ex.args[2]))
    ex.args[1] in (:all, :any) && length(ex.args) == 3 && is_their_function(s, ex.args[2]) || return ex
    x = gensym(:x)
    push!(s.bound, x)
    return Expr(:call, ex.args[1], Expr(:comprehension, Expr(:generator, Expr(:call, ex.args[2], x), Expr(:(=), x, ex.args[3]))))
end

is_their_function(s::Splitter, @nospecialize(name)) = name isa Symbol && !(name in s.bound || name in IMPURE) && is_theirs(s, name)

negated(@nospecialize(ex)) = is_generator(ex) ? Expr(ex.head, negated(ex.args[1]), ex.args[2:end]...) : Expr(:call, :!, ex)

is_let(@nospecialize(ex)) = ex isa Expr && ex.head === :let && ex.args[2] isa Expr && ex.args[2].head === :block && !isempty(ex.args[2].args)

# `(x = f(1); x == 2)`
is_sequence(@nospecialize(ex)) = ex isa Expr && ex.head === :block && count(arg -> !(arg isa LineNumberNode), ex.args) > 1

function is_loop_of_checks(s::Splitter, @nospecialize(ex))
    ex isa Expr && ex.head === :call && ex.args[1] === :all || return false
    length(ex.args) == 2 && return is_generator(ex.args[2]) && depends(s, body_of(ex.args[2]))
    return length(ex.args) == 3 && ex.args[2] isa Expr && ex.args[2].head === :-> && depends(s, ex.args[2].args[2]) &&
        only_argument(ex.args[2]) !== nothing
end

# `x` of `x -> ...` and of `(x,) -> ...`, which a `do` makes.
function only_argument(closure::Expr)
    pattern = closure.args[1]
    pattern isa Expr && pattern.head === :tuple || return pattern
    return length(pattern.args) == 1 ? pattern.args[1] : nothing
end

function unrolled_condition(s::Splitter, check::Expr, @nospecialize(ex))
    test(condition) = Expr(:macrocall, check.args[1], check.args[2], condition)
    checked(body) = Expr(:block, body.args[1:end-1]..., unrolled(s, test(body.args[end])))
    is_sequence(ex) && return Expr(:let, Expr(:block), checked(ex))
    is_let(ex) && return Expr(:let, ex.args[1], checked(ex.args[2]))
    is_loop_of_checks(s, ex) || return test(ex)
    length(ex.args) == 2 || return Expr(:for, Expr(:(=), only_argument(ex.args[2]), ex.args[3]), block(unrolled(s, test(ex.args[2].args[2]))))
    return loop_of(ex.args[2], condition -> unrolled(s, test(condition)))
end

# `x for x in 1:3 if isodd(x)`, and `x + y for x in 1:3 for y in 1:2`, which is a generator in one that is flattened.
is_generator(@nospecialize(ex)) = ex isa Expr && (ex.head === :generator || ex.head === :flatten && is_generator(ex.args[1]))

body_of(@nospecialize(ex)) = is_generator(ex) ? body_of(ex.args[1]) : ex

"A generator as the loops that it stands for, around what becomes of its innermost body."
function loop_of(@nospecialize(ex), inside)
    is_generator(ex) || return inside(ex)
    ex.head === :flatten && return loop_of(ex.args[1], inside)
    body = loop_of(ex.args[1], inside)
    headers = ex.args[2:end]
    if headers[1] isa Expr && headers[1].head === :filter
        condition, headers = headers[1].args[1], headers[1].args[2:end]
        body = Expr(:if, condition, block(body))
    end
    # The first loop of a generator is the inner one of a `for` with several.
    return Expr(:for, Expr(:block, reverse(headers)...), block(body))
end

# ---- names

"""
The statements, with names of their own for what is local to a function: names are told apart by their spelling
alone, and the `n` of a helper in the setup is not the `n` of a loop in the test.
"""
function with_own_names(home::Module, statements::Vector{Statement})
    functions = Set{Symbol}()
    foreach(st -> each_function(ex -> union!(functions, first(targets(ex.args[1]))), st.code), statements)
    count = Ref(0)
    own(ex) = with_own_locals(home, ex, count[] += 1, functions)
    return Statement[Statement(st.line, each_function(own, st.code)) for st in statements]
end

"A statement in which the functions are replaced that it defines for all that follow: not those in a scope of their own."
function each_function(f, @nospecialize(ex))
    is_function(ex) && return f(ex)
    ex isa Expr && ex.head in (:if, :elseif, :block, :toplevel) || return ex
    return Expr(ex.head, Any[each_function(f, arg) for arg in ex.args]...)
end

function with_own_locals(home::Module, ex::Expr, number::Int, functions::Set{Symbol})
    quotes_code(ex) && return ex
    locals = setdiff(inner_names(ex), functions, named_in(ex, (:parameters, :global)), named_in(ex.args[1], (:kw,)))
    # A name that means something outside is left alone: it may be meant somewhere in it.
    filter!(name -> !is_defined(home, name), locals)
    return renamed(ex, Dict{Symbol,Symbol}(name => Symbol(name, "#", number) for name in locals))
end

# What quoted code and macros make of a name, nobody knows.
quotes_code(@nospecialize(ex)) = ex isa Expr && (ex.head in (:quote, :inert, :macrocall, :where) || any(quotes_code, ex.args))

# Keywords, whose names others use, and globals.
function named_in(@nospecialize(ex), heads, found = Set{Symbol}())
    ex isa Expr || return found
    ex.head in heads && foreach(arg -> union!(found, first(targets(arg))), ex.args)
    foreach(arg -> named_in(arg, heads, found), ex.args)
    return found
end

function renamed(@nospecialize(ex), names::Dict{Symbol,Symbol}, is_key::Bool = false)
    ex isa Symbol && return get(names, ex, ex)
    ex isa Expr || return ex
    # `g(n = n)` and `(n = n,)`: the first is not the variable.
    ex.head === :kw && is_key && return Expr(:kw, ex.args[1], renamed(ex.args[2], names))
    ex.head === :(=) && is_key && return Expr(:(=), ex.args[1], renamed(ex.args[2], names))
    return Expr(ex.head, Any[renamed(arg, names, holds_keys(ex, arg)) for arg in ex.args]...)
end

holds_keys(ex::Expr, @nospecialize(arg)) = arg isa Expr && (ex.head === :tuple && arg.head === :(=) || ex.head in (:call, :curly, :ref) && arg.head === :kw)

resolvable(s::Splitter, name::Symbol) = name !== s.asked_for && !(name in IMPURE) && is_defined(s.home, name)

is_theirs(s::Splitter, name::Symbol) = name in s.theirs || name === s.asked_for || !(name in s.bound || name in (:end, :begin) || resolvable(s, name))

depends(s::Splitter, @nospecialize(ex)) = any(name -> is_theirs(s, name), used_names(ex))
touches(s::Splitter, @nospecialize(ex)) = any(name -> is_theirs(s, name) || haskey(s.exposed, name), used_names(ex))

used_names(@nospecialize(ex)) = use_names!(Set{Symbol}(), ex)

"Add the names whose meaning an expression needs or sets."
function use_names!(found::Set{Symbol}, @nospecialize(ex))
    ex isa Symbol && push!(found, undotted(ex))
    ex isa Expr || return found
    again(arg) = use_names!(found, arg)
    if ex.head in (:quote, :inert)
        foreach(again, interpolated(ex))
    elseif is_qualified(ex) && ex.args[2].value in IMPURE
        push!(found, ex.args[2].value)      # `Core.eval` is no other than `eval`
        again(ex.args[1])
    elseif ex.head === :kw
        again(ex.args[2])
    elseif ex.head === :tuple || ex.head === :parameters
        foreach(arg -> again(arg isa Expr && arg.head === :(=) ? arg.args[2] : arg), ex.args)
    else
        foreach(again, ex.args)
    end
    return found
end

# `Base.open`: names of modules are written large.
is_qualified(ex::Expr) = ex.head === :. && length(ex.args) == 2 && ex.args[2] isa QuoteNode && ex.args[2].value isa Symbol && is_module_name(ex.args[1])
is_module_name(@nospecialize(ex)) = ex isa Symbol ? isuppercase(first(String(ex))) : ex isa Expr && is_qualified(ex) && is_module_name(ex.args[2].value)

# What stands behind a `\$` in quoted code.
function interpolated(@nospecialize(ex), found = Any[])
    ex isa Expr || return found
    ex.head === :$ ? append!(found, ex.args) : foreach(arg -> interpolated(arg, found), ex.args)
    return found
end

"The names that a pattern binds: `x`, `(a, b)`, `x::T`, `x...`; those of which a part is set, `x[1]`, `x.y`, come second."
function targets(@nospecialize(pattern))
    names, parts = Symbol[], Symbol[]
    add_targets!(names, parts, pattern)
    return names, parts
end

function add_targets!(names, parts, @nospecialize(pattern))
    pattern isa Symbol && push!(names, pattern)
    pattern isa Expr || return
    pattern.head === :(::) && length(pattern.args) == 1 && return      # `::T` has no name
    if pattern.head in (:tuple, :parameters)
        foreach(arg -> add_targets!(names, parts, arg), pattern.args)
    elseif pattern.head in (:(::), :..., :kw, :curly, :where, :<:, :call) && !isempty(pattern.args)
        add_targets!(names, parts, pattern.args[1])
    elseif pattern.head in (:ref, :.)
        root = pattern
        while root isa Expr && root.head in (:ref, :.)
            root = root.args[1]
        end
        root isa Symbol && push!(parts, root)
    end
end

is_assignment(@nospecialize(ex)) = ex isa Expr && length(ex.args) == 2 && (ex.head === :(=) || is_update(ex.head))
is_update(head::Symbol) = (text = String(head); length(text) > 1 && endswith(text, "=") && !(head in (:(==), :(<=), :(>=), :(!=), :(===), :(!==), :(.==), :(=>))))
is_short_function(@nospecialize(ex)) = ex isa Expr && ex.head === :(=) && is_call(ex.args[1])
is_function(@nospecialize(ex)) = ex isa Expr && (ex.head === :function || is_short_function(ex))

"Every name that is bound anywhere in an expression."
function bind_names!(found::Set{Symbol}, @nospecialize(ex))
    ex isa Expr && !(ex.head in (:quote, :inert)) || return
    if is_function(ex) || ex.head in (:->, :macro)
        ex.head === :-> || union!(found, first(targets(ex.args[1])))
        bind_arguments!(found, ex.args[1])
    elseif is_assignment(ex)
        union!(found, first(targets(ex.args[1])))
    elseif ex.head === :try && length(ex.args) > 1 && ex.args[2] isa Symbol
        push!(found, ex.args[2])
    elseif ex.head in (:local, :global)
        foreach(arg -> union!(found, first(targets(arg))), ex.args)
    elseif ex.head === :where
        foreach(arg -> union!(found, first(targets(arg))), ex.args[2:end])
    elseif ex.head in (:struct, :abstract, :primitive)
        union!(found, first(targets(ex.args[ex.head === :struct ? 2 : 1])))
    end
    foreach(arg -> bind_names!(found, arg), ex.args)
end

function bind_arguments!(found::Set{Symbol}, @nospecialize(signature))
    signature isa Symbol && return push!(found, signature)
    signature isa Expr || return
    signature.head in (:where, :(::)) && is_call(signature.args[1]) && return bind_arguments!(found, signature.args[1])
    arguments = signature.head === :call ? signature.args[2:end] : signature.head in (:tuple, :block, :parameters) ? signature.args : Any[signature]
    for argument in arguments
        argument isa Expr && argument.head === :parameters ? bind_arguments!(found, argument) : union!(found, first(targets(argument)))
    end
end

# ---- which variable is whose

"A statement that holds no check, or a single binding of a `let`; what holds checks is gone through."
function each_leaf(f, s::Splitter, @nospecialize(ex))
    ex isa Expr || return
    if is_check(ex, true) && macro_name(ex) !== Symbol("@testset")
        s.place += 1
        f(ex, :check)
    elseif !holds_checks(ex, true)
        s.place += 1
        f(ex, :statement)
    elseif ex.head in (:block, :toplevel)
        foreach(arg -> each_leaf(f, s, arg), ex.args)
    elseif ex.head === :let
        bindings = ex.args[1] isa Expr && ex.args[1].head === :block ? ex.args[1].args : Any[ex.args[1]]
        for binding in bindings
            s.place += 1
            f(binding, :statement)
        end
        each_leaf(f, s, ex.args[2])
    elseif ex.head === :for
        leaves_early(ex.args[2]) && throw(Whole("a loop with checks that is left early"))
        foreach(header -> (s.place += 1; f(header, :loop)), loop_headers(ex))
        each_leaf(f, s, ex.args[2])
    elseif ex.head in (:if, :elseif)
        s.place += 1
        f(ex.args[1], :condition)
        foreach(arg -> each_leaf(f, s, arg), ex.args[2:end])
    elseif ex.head === :macrocall && macro_name(ex) === Symbol("@testset")
        each_leaf(f, s, ex.args[end])
    else
        throw(Whole("a check inside `$(ex.head)`"))
    end
end

leaves_early(@nospecialize(ex)) = ex isa Expr && (ex.head === :break || ex.head === :return || any(leaves_early, ex.args))

loop_headers(ex::Expr) = ex.args[1] isa Expr && ex.args[1].head === :block ? ex.args[1].args : Any[ex.args[1]]

function classify!(s::Splitter, statements::Vector{Statement})
    before = -1
    while before != (before = length(s.theirs) + length(s.exposed) + length(s.scalars) + length(s.judged) + length(s.helped))
        s.place = s.checks = s.loops = 0
        foreach(st -> each_leaf((ex, kind) -> learn!(s, ex, kind), s, st.code), statements)
    end
    before = -1
    while before != (before = length(s.needed))
        foreach(st -> each_leaf((ex, kind) -> need!(s, ex, kind), s, st.code), statements)
    end
end

function learn!(s::Splitter, @nospecialize(ex), kind::Symbol)
    if kind === :check
        for hole in holes_of(s, ex)
            uses_macro(s, hole.code) && union!(s.theirs, intersect(used_names(hole.code), s.bound))
            expose!(s, hole.code)
            # Applied there where a value cannot travel.
            union!(s.needed, intersect(applied_names(hole.tree), s.bound))
        end
    elseif kind === :condition
        depends(s, ex) && throw(Whole("the candidate's code decides whether there is a check"))
    elseif ex isa Expr && ex.head in (:struct, :abstract, :primitive, :macro, :module, :using, :import, :const, :global)
        bound = Set{Symbol}()
        bind_names!(bound, ex)
        union!(s.theirs, bound)
        ex.head === :macro && ex.args[1] isa Expr && push!(s.theirs, Symbol("@", ex.args[1].args[1]))
        expose!(s, ex)
    elseif is_stale(s, ex) || depends(s, ex)
        kind === :loop && throw(Whole("the candidate's code decides how many checks there are"))
        learn_comparison!(s, ex)
        is_function(ex) ? union!(s.theirs, first(targets(ex.args[1]))) : take_assigned!(s, ex)
        # A macro of the candidate's may set whatever it is given.
        uses_macro(s, ex) && union!(s.theirs, intersect(used_names(ex), s.bound))
        expose!(s, ex)
    else
        learn_pure!(s, ex)
    end
end

"Functions that compare, themselves or by another one."
function find_helpers!(s::Splitter, found::Set{Symbol}, statements::Vector{Statement})
    before = -1
    while before != (before = length(found))
        foreach(st -> find_helper!(s, found, st.code), statements)
    end
end

function find_helper!(s::Splitter, found::Set{Symbol}, @nospecialize(ex))
    ex isa Expr && !(ex.head in (:quote, :inert)) || return
    defines_function(ex) && weight(s, ex.args[2]) > NOTHING_COMPARED && union!(found, first(targets(ex.args[1])))
    foreach(arg -> find_helper!(s, found, arg), ex.args)
end

defines_function(ex::Expr) = is_function(ex) && length(ex.args) == 2 || is_assignment(ex) && is_closure(ex.args[2])
is_closure(@nospecialize(ex)) = ex isa Expr && ex.head === :->

# How much of a decision there is in code that the candidate's process runs.
const NOTHING_COMPARED, HELPED, COMPARED = 0, 1, 2

"The weight of an expression with the values that it uses; what says which names were set by a comparison is final last."
function full_weight(s::Splitter, @nospecialize(ex))
    outside = outside_inputs!(Set{Symbol}(), s, ex)
    any(name -> name in s.judged, outside) && return COMPARED
    return max(weight(s, ex), any(name -> name in s.helped, outside) ? HELPED : NOTHING_COMPARED)
end

function learn_comparison!(s::Splitter, @nospecialize(ex))
    weight(s, ex) == COMPARED && (s.reveals = true)
    heavy = full_weight(s, ex)
    heavy == NOTHING_COMPARED || union!(heavy == COMPARED ? s.judged : s.helped, intersect(changed_names!(assigned_names(ex), ex), s.bound))
    # What another test uses the candidate's process keeps: it can be told from what the candidate made, and is as open.
    if is_assignment(ex) && !is_function(ex) && !depends(s, ex.args[2])
        open_names = intersect(first(targets(ex.args[1])), s.bound)
        union!(s.judged, open_names)
        isempty(open_names) || (s.reveals = true)
    end
end

# `push!(found, x)` and `found[1] = x`
function changed_names!(found::Set{Symbol}, @nospecialize(ex))
    ex isa Expr && !(ex.head in (:quote, :inert)) || return found
    is_assignment(ex) && union!(found, last(targets(ex.args[1])))
    ex.head === :call && ex.args[1] isa Symbol && endswith(String(ex.args[1]), "!") && foreach(arg -> union!(found, used_names(arg)), ex.args[2:end])
    foreach(arg -> changed_names!(found, arg), ex.args)
    return found
end

# Arguments of the candidate's function are its inputs: a closure among them may compare what it likes.
function weight(s::Splitter, @nospecialize(ex))
    ex isa Symbol && return weight_of_name(s, ex)
    ex isa Expr && !(ex.head in (:quote, :inert)) || return NOTHING_COMPARED
    parts = ex.args
    defines_function(ex) && return NOTHING_COMPARED
    ex.head === :macrocall && macro_name(ex) in MEASURING && return COMPARED
    ex.head in (:comparison, :isa, :<:, :>:) && return depends(s, ex) ? COMPARED : HELPED
    if ex.head === :do
        takes_inputs(s, ex.args[1]) && return weight(s, ex.args[1])
    elseif takes_inputs(s, ex)
        parts = Any[arg for arg in ex.args[2:end] if depends(s, arg) && !is_closure(arg)]
    elseif ex.head === :call && !any(arg -> depends(s, arg), ex.args)
        # Of elements, in a closure or a loop: not what the candidate's code gave, by its name.
        return min(HELPED, reduce(max, Int[weight(s, part) for part in parts], init = NOTHING_COMPARED))
    end
    return reduce(max, Int[weight(s, part) for part in parts], init = NOTHING_COMPARED)
end

function weight_of_name(s::Splitter, name::Symbol)
    (undotted(name) in DECIDING || name in s.deciders || name in CODE_AS_DATA) && return COMPARED
    return undotted(name) in TELLING || name in s.helpers ? HELPED : NOTHING_COMPARED
end

"A call of what the candidate defined, and not of what the test made of it."
function takes_inputs(s::Splitter, @nospecialize(ex))
    ex isa Expr && (ex.head === :call || ex.head === :. && length(ex.args) == 2 && ex.args[2] isa Expr) || return false
    holds_closure(ex.args[1]) && return false
    names = used_names(ex.args[1])
    return any(name -> is_theirs(s, name) && !(name in IMPURE), names) && isempty(intersect(names, s.bound))
end

holds_closure(@nospecialize(ex)) = ex isa Expr && (ex.head === :-> || any(holds_closure, ex.args))

"The names in an expression but for those in the arguments of the candidate's functions."
function outside_inputs!(found::Set{Symbol}, s::Splitter, @nospecialize(ex))
    ex isa Symbol && push!(found, ex)
    ex isa Expr && !(ex.head in (:quote, :inert)) && !takes_inputs(s, ex) || return found
    foreach(arg -> outside_inputs!(found, s, arg), ex.args)
    return found
end

# What is as good as a comparison where it is told what is expected: `f(x) - 3`.
const TELLING = Set{Symbol}([:(+), :(-), :(/), :(÷), :(%), :(⊻), :xor, :setdiff, :symdiff, :div, :rem, :mod, :divrem, :fldmod,
    :occursin, :startswith, :endswith, :contains, :match, :eachmatch])
# What they run cannot be looked at.
const CODE_AS_DATA = (:eval, :include, :include_string, :evalfile, Symbol("@eval"))

# What is measured in the candidate's process is what that says.
const MEASURING = Set{Symbol}([Symbol("@inferred"), Symbol("@allocated"), Symbol("@elapsed"), Symbol("@timed"), Symbol("@time"), Symbol("@assert")])

# Inside closures too: what one of them sets has no value that the referee could know.
take_assigned!(s::Splitter, @nospecialize(ex)) = union!(s.theirs, assigned_names(ex))

uses_macro(s::Splitter, @nospecialize(ex)) = ex isa Expr &&
    (ex.head === :macrocall && depends(s, ex.args[1]) || any(arg -> uses_macro(s, arg), ex.args))

"The names that an expression sets and that are still there behind it."
function assigned_names(@nospecialize(ex), found = Set{Symbol}())
    ex isa Expr && !(ex.head in (:quote, :inert)) || return found
    is_assignment(ex) && union!(found, first(targets(ex.args[1])))
    parts = ex.head === :for ? [Any[header.args[2] for header in loop_headers(ex)]; ex.args[2:end]] :
        ex.head === :generator ? Any[i > 1 && is_assignment(arg) ? arg.args[2] : arg for (i, arg) in enumerate(ex.args)] : ex.args
    foreach(arg -> assigned_names(arg, found), parts)
    return found
end

function expose!(s::Splitter, @nospecialize(ex))
    for name in used_names(ex)
        name in s.bound && !(name in s.theirs) && (s.exposed[name] = min(get(s.exposed, name, s.place), s.place))
    end
end

"Does it read what the candidate's code may have changed by then?"
is_stale(s::Splitter, @nospecialize(ex)) =
    any(name -> get(s.exposed, name, typemax(Int)) < s.place && !(name in s.scalars), used_names(ex))

function learn_pure!(s::Splitter, @nospecialize(ex))
    assigned_in_closures!(s, ex, false)
    expose_sources!(s, ex)
    is_function(ex) && return learn_function!(s, ex)
    is_assignment(ex) && ex.head === :(=) && ex.args[1] isa Symbol || return
    is_scalar(s, ex.args[2]) && push!(s.scalars, ex.args[1])
end

# A function is as constant as what it uses.
function learn_function!(s::Splitter, ex::Expr)
    uses = setdiff(intersect(used_names(ex), s.bound), inner_names(ex))
    issubset(uses, s.scalars) && union!(s.scalars, first(targets(ex.args[1])))
end

# `V = view(A, 1:2)`: whoever sees V can change A.
function expose_sources!(s::Splitter, @nospecialize(ex))
    is_function(ex) || is_assignment(ex) || return
    names, parts = targets(ex.args[1])
    places = Int[s.exposed[name] for name in [names; parts] if haskey(s.exposed, name)]
    isempty(places) && return
    for name in used_names(ex)
        name in s.bound && !(name in s.theirs) && (s.exposed[name] = min(get(s.exposed, name, typemax(Int)), minimum(places)))
    end
end

function assigned_in_closures!(s::Splitter, @nospecialize(ex), inside::Bool)
    ex isa Expr && !(ex.head in (:quote, :inert)) || return
    inside && is_assignment(ex) && union!(s.theirs, first(targets(ex.args[1])))
    foreach(arg -> assigned_in_closures!(s, arg, inside || ex.head in (:->, :do)), ex.args)
end

const SCALAR_FUNCTIONS = (:+, :-, :*, :/, :^, :÷, :%, ://, :string, :Date, :DateTime, :Time, :Day, :Hour, :Minute, :Second, :Month, :Year, :Week, :big,
    :repeat, :length, :Int, :Float64, :typemax, :typemin)

function is_scalar(s::Splitter, @nospecialize(ex))
    ex isa Union{Number,String,Char,QuoteNode} && return true
    ex isa Symbol && return ex in s.scalars
    return ex isa Expr && ex.head === :call && ex.args[1] in SCALAR_FUNCTIONS && all(arg -> is_scalar(s, arg), ex.args[2:end])
end

"What the candidate's part is made of must be made there too, and only that."
function need!(s::Splitter, @nospecialize(ex), kind::Symbol)
    union!(s.needed, keys(s.exposed))
    kind === :condition && union!(s.needed, intersect(used_names(ex), s.bound))
    kind === :statement && runs_there(s, ex) && union!(s.needed, intersect(used_names(ex), s.bound))
end

function runs_there(s::Splitter, @nospecialize(ex))
    (is_stale(s, ex) || depends(s, ex)) && return true
    names = intersect(used_names(ex), s.bound)
    isempty(names) && return true
    any(name -> name in s.needed, names) || return false
    is_function(ex) && return any(name -> name in s.needed, first(targets(ex.args[1])))
    is_assignment(ex) || return true
    set, parts = targets(ex.args[1])
    return any(name -> name in s.needed, [set; parts]) || any(name -> endswith(String(name), "!"), used_names(ex.args[2]))
end

# ---- the parts of one check

struct Hole
    code::Any
    lazy::Bool        # evaluated only if the referee asks for it
    tree::Any         # what the referee makes of the values that come (`Node`), or `nothing`: it is the one value
end

Hole(@nospecialize(code), lazy::Bool) = Hole(code, lazy, nothing)

"A part of a check that would have to be evaluated inside a closure of the referee's."
struct NoHole <: Exception end

"All holes of a check, without making anything of them."
function holes_of(s::Splitter, ex::Expr)
    checks = s.checks
    holes = Hole[]
    foreach(part -> append!(holes, part.holes), check_parts(s, ex))
    s.checks = checks
    return holes
end

"One decision: the number of the check, its holes, and the referee's code."
struct CheckPart
    number::Int
    holes::Vector{Hole}
    ours::Any
end

function check_parts(s::Splitter, ex::Expr)
    kind = macro_name(ex)
    arguments = Any[arg for arg in ex.args[2:end] if !(arg isa LineNumberNode)]
    kind === Symbol("@test_skip") && return CheckPart[]
    isempty(arguments) && throw(Whole("a check of nothing"))
    if kind === Symbol("@test_throws")
        length(arguments) == 2 || throw(Whole("@test_throws of another shape"))
        return CheckPart[throws_part(s, arguments...)]
    end
    kind in (Symbol("@test"), ASSERT) || throw(Whole("a check of the kind $kind"))
    text = kind === ASSERT ? assert_text(arguments) : ""
    options = kind === ASSERT ? Any[] : arguments[2:end]
    all(option -> option isa Expr && option.head === :(=), options) || throw(Whole("options of another shape"))
    conditions = isempty(options) ? conjuncts(arguments[1]) : Any[arguments[1]]
    return CheckPart[condition_part(s, condition, options, text) for condition in conditions]
end

# `a && b` is two checks, one after the other.
conjuncts(@nospecialize(ex)) = ex isa Expr && ex.head === :&& ? Any[conjuncts(ex.args[1]); conjuncts(ex.args[2])] : Any[ex]

function condition_part(s::Splitter, @nospecialize(ex), options::Vector{Any}, text::String)
    holes = Hole[]
    # A function of Julia's is not what anybody compares: the candidate has a variable of this name.
    read = is_comparison(ex) && ex.args[1] in IDENTITIES ? object_for_referee : for_referee
    lift(part) = is_function_name(s, part) ? Expr(:call, hole, number_of!(holes, Hole(part, false))) : read(s, holes, part, Set{Symbol}(), false)
    ours = if is_comparison(ex)
        keywords = Any[Expr(:tuple, QuoteNode(option.args[1]), lift(option.args[2])) for option in options]
        Expr(:call, decide_pair, text, QuoteNode(ex.args[1]), lift(ex.args[2]), lift(ex.args[3]), keywords...)
    else
        isempty(options) || throw(Whole("options to what is no comparison"))
        condition = lift(ex)
        # A function of Julia's would run there as a whole, and its Bool would be all that is sent.
        is_hole(condition) && holes[condition.args[2]].tree === nothing && !is_theirs_call(s, ex) && throw(Whole("the condition needs the candidate's code as a whole"))
        decides!(s, holes, condition)
        Expr(:call, decide_truth, text, condition)
    end
    s.checks += 1
    return CheckPart(s.checks, holes, with_decider(s, holes, ours))
end

# What came of a comparison over there is no evidence, whatever it is compared with here.
function with_decider(s::Splitter, holes::Vector{Hole}, ours::Expr)
    any(hole -> weight(s, hole.code) == COMPARED, holes) && (s.reveals = true)
    weights = Int[full_weight(s, hole.code) for hole in holes]
    COMPARED in weights && return Expr(:block, Expr(:call, decided_in_part), ours)
    HELPED in weights && (ours = Expr(:block, Expr(:call, helped_in_part, findall(==(HELPED), weights)...), ours))
    return mixes(s, holes) ? Expr(:block, ours, Expr(:call, inputs_decide)) : ours
end

"Is what the candidate gave compared with what is made of its inputs?"
function mixes(s::Splitter, holes::Vector{Hole})
    outside = Set{Symbol}()
    foreach(hole -> outside_inputs!(outside, s, hole.code), holes)
    return any(name -> haskey(s.exposed, name), outside) && any(hole -> depends(s, hole.code), holes)
end

# A function of the test's own whose value is the verdict.
function decides!(s::Splitter, holes::Vector{Hole}, @nospecialize(condition))
    is_hole(condition) || return
    tree = holes[condition.args[2]].tree
    tree isa Expr && tree.args[1] === node && tree.args[4] isa Symbol && tree.args[4] in s.bound && (tree.args[5] = true)
end

is_function_name(s::Splitter, @nospecialize(ex)) = ex isa Symbol && !(ex in s.bound) && resolvable(s, ex) && getfield(s.home, ex) isa Function

is_hole(@nospecialize(ex)) = ex isa Expr && ex.head === :call && ex.args[1] === hole

# What the candidate defined, called as it is: its value is what the test is about.
function is_theirs_call(s::Splitter, @nospecialize(ex))
    ex isa Symbol && return true
    ex isa Expr || return false
    ex.head === :macrocall && return true
    ex.head in (:call, :., :do) || return false
    return depends(s, ex.head === :do ? ex.args[1].args[1] : ex.args[1])
end

function throws_part(s::Splitter, @nospecialize(expected), @nospecialize(ex))
    holes = Hole[]
    wanted = for_referee(s, holes, expected, Set{Symbol}(), false)
    push!(holes, Hole(Expr(:codejury_caught, ex), false))
    s.checks += 1
    decision = Expr(:call, decide_thrown, wanted, Expr(:call, hole, length(holes)), Expr(:call, hole, length(holes) + 1))
    return CheckPart(s.checks, holes, with_decider(s, holes, decision))
end

# A closure without arguments is one too.
const OF_A_CLOSURE = Set{Symbol}([Symbol("->")])

# Expressions that evaluate their parts, one after the other.
const STRUCTURES = (:tuple, :vect, :vcat, :hcat, :row, :typed_vcat, :typed_hcat, :string, :block, :..., :parameters)

"""
The expression as the referee evaluates it, with holes for what is the candidate's. Values of the candidate's
own types stay there as handles; a call that meets one is made there (`call_either`).
"""
function for_referee(s::Splitter, holes::Vector{Hole}, @nospecialize(ex), inner::Set{Symbol}, lazy::Bool)
    ex isa Symbol && return ex in inner ? ex : name_for_referee(s, holes, ex)
    ex isa Expr && touches(s, ex) || return ex
    ex.head === :call && depends(s, ex.args[1]) && return make_hole(s, holes, ex, inner, lazy)
    if isempty(inner) && !lazy
        is_their_value(s, ex) && return make_hole(s, holes, ex, inner, lazy)
        tree = tree_of(s, ex)
        tree === nothing || return tree_hole!(holes, tree)
    end
    count = length(holes)
    try
        return structure_for_referee(s, holes, ex, inner, lazy)
    catch err
        # A closure or a generator would be of no use to the referee: what calls it is the hole.
        err isa NoHole && !(ex.head in NEVER_A_HOLE) || rethrow()
        resize!(holes, count)
        return make_hole(s, holes, ex, inner, lazy)
    end
end

# Parts of an expression that have no value.
const NEVER_A_HOLE = (:->, :generator, :filter, :flatten, :kw, :parameters, :..., :(=))

"What changes its arguments, and a function of the test's own that is given code of the candidate's, run where these are."
function is_applied_there(s::Splitter, ex::Expr)
    callee = ex.args[1]
    callee isa Symbol || return false
    endswith(String(callee), "!") && callee !== :(!) && return true
    return callee in s.bound && any(arg -> holds_their_closure(s, arg), ex.args[2:end])
end

holds_their_closure(s::Splitter, @nospecialize(ex)) = ex isa Expr && !(ex.head in (:quote, :inert)) &&
    (ex.head === :-> ? depends(s, ex) : any(arg -> holds_their_closure(s, arg), ex.args))

# ---- parts that the candidate evaluates in one go

"Functions that decide: where one meets a value of the candidate's own type, that type has decided."
const DECIDING = Set{Symbol}([COMPARISONS..., :isless, :cmp, :isdisjoint, :issetequal, :(⊇), :(⊊), :(⊋)])
struct Tree
    code::Any         # the candidate's: `codejury_apply`, with the number of the node and what it is applied to; or any code
    node::Any         # the referee's: an expression that makes a `Node` or a `Slot`
end

function part_tree(s::Splitter, @nospecialize(ex))
    ex isa Symbol && return Tree(ex, is_theirs(s, ex) ? SLOT : Expr(:call, Slot, ex))
    ex isa Expr || return nothing
    return is_their_value(s, ex) ? Tree(ex, SLOT) : tree_of(s, ex)
end

"A call of the candidate's code, or a list of such: its value is what the test is about."
function is_their_value(s::Splitter, ex::Expr)
    ex.head === :call && return depends(s, ex.args[1]) || is_applied_there(s, ex)
    ex.head === :. && length(ex.args) == 2 && ex.args[2] isa Expr && return depends(s, ex.args[1])
    ex.head === :comprehension && return depends(s, ex.args[1].args[1])
    ex.head === :ref && return depends(s, ex) && any(mentions_end, ex.args[2:end])
    return ex.head === :macrocall
end

"An expression of functions that both sides know, over values of the candidate's; `nothing` if it is something else."
function tree_of(s::Splitter, ex::Expr)
    application = application_of(s, ex)
    application === nothing && return nothing
    name, f, arguments, keywords = application
    number = s.nodes += 1
    slots, parts = Any[], Any[]
    for argument in arguments
        if touches(s, argument)
            tree = part_tree(s, argument)
            tree === nothing && return nothing
            push!(slots, tree.code)
            push!(parts, tree.node)
        else
            push!(parts, Expr(:call, Own, argument))
        end
    end
    decides = f isa Symbol && weight_of_name(s, f) == COMPARED || f === broadcast && weight(s, arguments[1]) == COMPARED
    return Tree(Expr(:codejury_apply, number, slots...), Expr(:call, node, number, name, f, decides, Expr(:tuple, keywords...), parts...))
end

"The name, the function, the arguments and the keywords of an expression that calls what both sides know."
function application_of(s::Splitter, ex::Expr)
    if ex.head === :call
        known_callee(s, ex.args[1]) || return nothing
        arguments, keywords = arguments_of(ex)
        any(arg -> touches(s, arg) && (arg isa Expr && arg.head in (:->, :..., :generator)), arguments) && return nothing
        all(arg -> arg isa Expr && arg.head === :kw && !touches(s, arg.args[2]), keywords) || return nothing
        return QuoteNode(ex.args[1]), ex.args[1], arguments, Any[Expr(:tuple, QuoteNode(arg.args[1]), arg.args[2]) for arg in keywords]
    elseif ex.head === :ref
        any(arg -> mentions_end(arg) || is_splat_or_keyword(arg), ex.args) && return nothing
        return QuoteNode(:getindex), getindex, ex.args, Any[]
    elseif ex.head === :. && ex.args[2] isa QuoteNode
        return QuoteNode(:getproperty), getproperty, ex.args, Any[]
    elseif ex.head === :. && ex.args[2] isa Expr && ex.args[2].head === :tuple
        known_callee(s, ex.args[1]) && !any(is_splat_or_keyword, ex.args[2].args) || return nothing
        return QuoteNode(:broadcast), broadcast, Any[ex.args[1]; ex.args[2].args], Any[]
    elseif ex.head in (:tuple, :vect, :string)
        any(arg -> arg isa Expr && arg.head in (:..., :(=), :parameters), ex.args) && return nothing
        f = ex.head === :tuple ? tuple : ex.head === :vect ? Base.vect : string
        return QuoteNode(f), f, ex.args, Any[]
    end
    return nothing
end

function known_callee(s::Splitter, @nospecialize(callee))
    touches(s, callee) && return false
    callee isa Symbol || return callee isa Expr && callee.head in (:., :curly)
    return undotted(callee) === callee && !(callee in IDENTITIES || callee === :isa) && (callee in s.bound || resolvable(s, callee))
end

function arguments_of(ex::Expr)
    arguments, keywords = Any[], Any[]
    for arg in ex.args[2:end]
        arg isa Expr && arg.head === :parameters ? append!(keywords, arg.args) :
            push!(arg isa Expr && arg.head === :kw ? keywords : arguments, arg)
    end
    return arguments, keywords
end

function tree_hole!(holes::Vector{Hole}, tree::Tree)
    push!(holes, Hole(tree.code, false, tree.node))
    return Expr(:call, hole, length(holes))
end

"The names of the functions in a tree."
function applied_names(@nospecialize(tree), found = Set{Symbol}())
    tree isa Expr && tree.args[1] === node || return found
    _, _, _, f, _, _, parts = tree.args[1:6]..., tree.args[7:end]
    union!(found, used_names(f))
    foreach(part -> applied_names(part, found), parts)
    return found
end

function structure_for_referee(s::Splitter, holes::Vector{Hole}, ex::Expr, inner::Set{Symbol}, lazy::Bool)
    head, args = ex.head, ex.args
    read = head === :call && args[1] in IDENTITIES ? object_for_referee : for_referee
    lift(part) = read(s, holes, part, inner, lazy)
    later(part) = for_referee(s, holes, part, inner, true)
    if head === :call
        callee = args[1]
        callee isa Symbol && undotted(callee) !== callee && return Expr(:call, callee, map(lift, args[2:end])...)
        return Expr(:call, call_either, with_parameters(args[2:end], QuoteNode(callee), lift(callee), lift)...)
    elseif head === :ref
        any(arg -> mentions_end(arg), args[2:end]) && return Expr(:ref, map(lift, args)...)
        return Expr(:call, call_either, QuoteNode(:getindex), getindex, map(lift, args)...)
    elseif head === :. && args[2] isa QuoteNode
        return Expr(:call, call_either, QuoteNode(:getproperty), getproperty, lift(args[1]), args[2])
    elseif head === :. && args[2] isa Expr && args[2].head === :tuple
        depends(s, args[1]) && throw(NoHole())
        return Expr(:., args[1], Expr(:tuple, map(lift, args[2].args)...))
    elseif head === :comparison
        pairs = Any[Expr(:call, call_either, QuoteNode(args[i]), args[i], lift(args[i-1]), lift(args[i+1])) for i in 2:2:length(args)-1]
        return foldl((a, b) -> Expr(:&&, a, b), pairs)
    elseif head in (:&&, :||, :if)
        return Expr(head, lift(args[1]), map(later, args[2:end])...)
    elseif head in (:kw, :(=))
        return Expr(head, args[1], lift(args[2]))
    elseif head === :(::) && length(args) == 2
        return Expr(:call, call_either, QuoteNode(:typeassert), typeassert, map(lift, args)...)
    elseif head in (:isa, :<:, :>:) && length(args) == 2
        return Expr(:call, call_either, QuoteNode(head), getfield(Base, head), map(lift, args)...)
    elseif head === :->
        return Expr(:->, args[1], for_referee(s, holes, args[2], union(inner, inner_names(ex), OF_A_CLOSURE), lazy))
    elseif head in (:comprehension, :typed_comprehension, :generator, :filter, :flatten)
        return iteration_for_referee(s, holes, ex, union(inner, inner_names(ex), OF_A_CLOSURE), lazy)
    elseif head in STRUCTURES
        head === :block && any(is_assignment, args) && throw(NoHole())
        return Expr(head, Any[structure_part(part, lift(part)) for part in args]...)
    end
    throw(NoHole())
end

# Which object it is can only be said of values that come in one message, as they are.
const IDENTITIES = (:(===), :(!==))

object_for_referee(s::Splitter, holes::Vector{Hole}, @nospecialize(ex), inner::Set{Symbol}, lazy::Bool) =
    ex isa Expr && touches(s, ex) ? make_hole(s, holes, ex, inner, lazy) : for_referee(s, holes, ex, inner, lazy)

# A handle is no element of anything: what is made of it is made there.
structure_part(@nospecialize(part), @nospecialize(lifted)) =
    part === lifted || lifted isa Expr && lifted.head in (:..., :(=), :kw, :parameters, :row) ? lifted : Expr(:call, no_handle, lifted)

# Parameters, `f(x; k = 1)`, come first in a call.
function with_parameters(arguments::Vector{Any}, name, @nospecialize(callee), lift)
    !isempty(arguments) && arguments[1] isa Expr && arguments[1].head === :parameters || return Any[name; callee; map(lift, arguments)]
    return Any[lift(arguments[1]); name; callee; map(lift, arguments[2:end])]
end

mentions_end(@nospecialize(ex)) = ex in (:end, :begin) || ex isa Expr && ex.head !== :ref && any(mentions_end, ex.args)

# Everything in it is evaluated anew for each element, but for what the first loop goes over.
function iteration_for_referee(s::Splitter, holes::Vector{Hole}, ex::Expr, inner::Set{Symbol}, lazy::Bool)
    lift(part) = for_referee(s, holes, part, inner, lazy)
    ex.head in (:generator, :filter) && return Expr(ex.head, lift(ex.args[1]), Any[Expr(:(=), arg.args[1], lift(arg.args[2])) for arg in ex.args[2:end] if is_assignment(arg) || throw(NoHole())]...)
    return Expr(ex.head, map(lift, ex.args)...)
end

function name_for_referee(s::Splitter, holes::Vector{Hole}, name::Symbol)
    name in (:end, :begin) && return name
    is_theirs(s, name) && return Expr(:call, hole, number_of!(holes, Hole(name, false)))
    haskey(s.exposed, name) && return Expr(:call, pick, number_of!(holes, Hole(name, false)), name)
    return name
end

# A variable has one value during a check.
function number_of!(holes::Vector{Hole}, hole::Hole)
    at = findfirst(known -> known.code === hole.code, holes)
    at === nothing || return at
    push!(holes, hole)
    return length(holes)
end

function make_hole(s::Splitter, holes::Vector{Hole}, @nospecialize(ex), inner::Set{Symbol}, lazy::Bool)
    isempty(inner) || throw(NoHole())
    push!(holes, Hole(ex, lazy))
    return Expr(:call, lazy ? lazy_hole : hole, length(holes))
end

# ---- the two programs

function project_all(s::Splitter, statements::Vector{Statement})
    s.place = s.checks = s.loops = 0
    return Tuple{Int,Any,Any}[(st.line, project(s, st.code)...) for st in statements]
end

"An expression as the candidate runs it, and as the referee does; `nothing` where it does not."
function project(s::Splitter, @nospecialize(ex))
    ex isa Expr || return ex isa LineNumberNode ? (ex, ex) : (nothing, nothing)
    is_check(ex, true) && macro_name(ex) !== Symbol("@testset") && return project_check(s, ex)
    holds_checks(ex, true) || return project_leaf(s, ex)
    ex.head in (:block, :toplevel) && return project_block(s, ex.args)
    ex.head === :let && return project_let(s, ex)
    ex.head === :for && return project_loop(s, loop_headers(ex), ex.args[2])
    ex.head in (:if, :elseif) && return project_if(s, ex)
    body = ex.args[end]      # of a @testset
    body isa Expr && body.head === :for && return project(s, body)
    their, our = project(s, body)
    return Expr(:let, Expr(:block), block(their)), Expr(:let, Expr(:block), block(our))
end

block(@nospecialize(ex)) = ex isa Expr && ex.head === :block ? ex : Expr(:block, ex)

function project_leaf(s::Splitter, @nospecialize(ex))
    s.place += 1
    is_type = ex isa Expr && ex.head in (:struct, :abstract, :primitive, :macro, :module, :using, :import, :const, :global)
    (is_type || is_stale(s, ex) || depends(s, ex)) && return ex, nothing
    return runs_there(s, ex) ? ex : nothing, ex
end

function project_block(s::Splitter, args::Vector{Any})
    pairs = Any[project(s, arg) for arg in args]
    keep(side) = Expr(:block, Any[pair[side] for pair in pairs if pair[side] !== nothing]...)
    return keep(1), keep(2)
end

function project_let(s::Splitter, ex::Expr)
    bindings = ex.args[1] isa Expr && ex.args[1].head === :block ? ex.args[1].args : Any[ex.args[1]]
    pairs = Any[binding isa Symbol ? (s.place += 1; (binding, binding)) : project_leaf(s, binding) for binding in bindings]
    keep(side) = Expr(:block, Any[pair[side] for pair in pairs if pair[side] !== nothing]...)
    their, our = project(s, block(ex.args[2]))
    return Expr(:let, keep(1), their), Expr(:let, keep(2), our)
end

# The referee goes through the loop, and tells the candidate at each turn the values that its part needs: it sees
# neither the other values nor how many turns there will be.
function project_loop(s::Splitter, headers::Vector{Any}, @nospecialize(body))
    s.loops += 1
    s.place += length(headers)
    number = s.loops
    names = unique(Symbol[name for header in headers for name in first(targets(header.args[1])) if name in s.needed])
    their, our = project(s, block(body))
    turn = Expr(:codejury_turn, number, names...)
    there = Expr(:while, true, Expr(:block, turn, their.args...))
    here = Expr(:for, length(headers) == 1 ? headers[1] : Expr(:block, headers...),
        Expr(:block, Expr(:call, next_turn, number, names...), our.args...))
    return there, Expr(:block, here, Expr(:call, last_turn, number))
end

function project_if(s::Splitter, ex::Expr)
    s.place += 1
    branches = Any[project(s, block(arg)) for arg in ex.args[2:end]]
    return Expr(:if, ex.args[1], Any[branch[1] for branch in branches]...), Expr(:if, ex.args[1], Any[branch[2] for branch in branches]...)
end

function project_check(s::Splitter, ex::Expr)
    s.place += 1
    theirs, ours = Any[], Any[]
    for part in check_parts(s, ex)
        push!(theirs, Expr(:codejury_check, part.number, Any[hole.lazy ? Expr(:codejury_lazy, hole.code) : hole.code for hole in part.holes]...))
        push!(ours, Expr(:block, Expr(:call, await_check, part.number, Any[hole.tree for hole in part.holes]...), part.ours))
    end
    return Expr(:block, theirs...), Expr(:block, ours...)
end
