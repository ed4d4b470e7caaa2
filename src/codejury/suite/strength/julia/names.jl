# What the examples and tests of a definition say about names, calls and expected values.
#
#   name       a name that tests use and that neither Julia, an import, the tests nor their setup define
#   expected   a value that a test compares with: code that names nothing of the solution
#   error      the type of an exception that a test expects
#   call       a call of the solution in an example, with arguments that stand for themselves

function all_of(text::String)
    found = Any[]
    at = 1
    while at <= sizeof(text)
        ex, at = try Meta.parse(text, at; raise = false) catch; break end
        ex isa Expr && ex.head in (:error, :incomplete) && break
        ex === nothing || push!(found, ex)
    end
    return found
end

# Fields of Julia's own types: no prompt has to explain them.
const KNOWN_FIELDS = (:first, :second, :start, :stop, :step, :re, :im, :num, :den, :head, :args, :value, :msg, :match, :captures, :offset,
    :offsets, :key, :a, :i, :f, :args, :val, :var, :x, :task, :exception, :exceptions, :parameters, :name)

"Gather names: those used, those that are given a value or a meaning, and fields and keywords."
mutable struct Names
    used::Set{Symbol}
    bound::Set{Symbol}
    fields::Set{Symbol}
    struct_fields::Set{Symbol}
end

Names() = Names(Set{Symbol}(), Set{Symbol}(), Set{Symbol}(), Set{Symbol}())

function gather!(names::Names, @nospecialize(ex))
    ex isa Symbol && (push!(names.used, ex); return)
    ex isa Expr || return
    head, args = ex.head, ex.args
    if head in (:quote, :line, :using, :import)
        return
    elseif head in (:(=), :kw, :(->), :function, :macro, :struct, :const, :let, :for, :generator, :do, :try, :local, :global, :abstract)
        bind_targets!(names, ex)
    end
    if head === :. && length(args) == 2 && args[2] isa QuoteNode && args[2].value isa Symbol && !is_module_name(args[1])
        push!(names.fields, args[2].value)
    end
    start = head === :macrocall ? (push!(names.used, macro_symbol(args[1])); 2) : head === :kw ? 2 : 1
    head === :kw && args[1] isa Symbol && push!(names.fields, args[1])
    for arg in args[start:end]
        gather!(names, arg)
    end
end

macro_symbol(@nospecialize(name)) = name isa Symbol ? name : Symbol("@doc")

"`Iterators` in `Iterators.take`: by custom such names begin with a capital letter."
is_module_name(@nospecialize(ex)) = ex isa Symbol && isuppercase(first(String(ex))) || is_expr(ex, :.)

function bind_targets!(names::Names, ex::Expr)
    head, args = ex.head, ex.args
    head === :kw && return
    head === :try && args[2] isa Symbol && push!(names.bound, args[2])
    head in (:try, :do) && return
    targets = head === :generator ? args[2:end] : head === :struct ? args[2:2] : args[1:1]
    foreach(target -> bind!(names, target), targets)
    head === :struct && foreach(field -> bind_field!(names, field), args[3].args)
end

bind_field!(names::Names, @nospecialize(field)) = field isa Symbol ? push!(names.struct_fields, field) :
    is_expr(field, :(::)) && field.args[1] isa Symbol && push!(names.struct_fields, field.args[1])

function bind!(names::Names, @nospecialize(target))
    target isa Symbol && return push!(names.bound, target)
    target isa Expr || return
    if target.head in (:tuple, :call, :parameters, :block, :where, :filter)
        foreach(one -> bind!(names, one), target.args)
    elseif target.head in (:(::), :kw, :..., :(=), :curly, :<:)
        bind!(names, target.args[1])
    end
end

is_known(name::Symbol, modules::Vector{Module}) = Base.isoperator(name) || name in (:end, :begin, :ccall, :new, :_) ||
    any(mod -> isdefined(mod, name), modules)

function name_records(tests::Vector{String}, around::Vector{String}, imports::Vector{String})
    modules = Module[Base, Core, @__MODULE__]
    append!(modules, loaded(imports))
    # All tests of a definition run in one module: what one defines, the next may use.
    setup = Names()
    for text in [around; tests], ex in all_of(text)
        gather!(setup, ex)
    end
    records = String[]
    for (i, text) in enumerate(tests)
        own = Names()
        foreach(ex -> gather!(own, ex), all_of(text))
        for name in sort!(collect(own.used))
            name in setup.bound || name in setup.struct_fields || is_known(name, modules) || push!(records, record("name", i, name))
        end
        for name in sort!(collect(own.fields))
            name in setup.bound || name in setup.struct_fields || name in KNOWN_FIELDS || push!(records, record("field", i, name))
        end
    end
    return records
end

"The modules a definition imports, as far as they are here; stating a name is enough for the others."
function loaded(imports::Vector{String})
    found = Module[]
    for name in [imports; "Test"; "Dates"; "Random"; "Statistics"; "LinearAlgebra"; "Printf"]
        occursin(r"^[A-Za-z_]\w*(\.\w+)*$", name) || continue
        mod = try Core.eval(Module(), Meta.parse(string("begin import ", name, "; ", name, " end"))) catch; nothing end
        mod isa Module && push!(found, mod)
    end
    return found
end

# ---- expected values and calls

function each_expression(f, @nospecialize(ex))
    f(ex)
    ex isa Expr && foreach(arg -> each_expression(f, arg), ex.args)
    return
end

function mentions(@nospecialize(ex), names)
    found = false
    each_expression(part -> part isa Symbol && part in names && (found = true), ex)
    return found
end

"Code that means the same anywhere: its names are Julia's."
function stands_alone(@nospecialize(ex), own, modules::Vector{Module})
    names = Names()
    gather!(names, ex)
    return !mentions(ex, own) && all(name -> name in names.bound || is_known(name, modules), names.used)
end

function value_records(tests::Vector{String}, examples::Vector{String}, own::Vector{Symbol}, imports::Vector{String})
    modules = Module[Base, Core]
    append!(modules, loaded(imports))
    records = String[]
    for text in tests, ex in all_of(text)
        each_expression(part -> note_expected!(records, part, own, modules), ex)
    end
    for text in examples, ex in all_of(text)
        each_expression(part -> note_call!(records, part, own, modules), ex)
    end
    return unique(records)
end

function note_expected!(records::Vector{String}, @nospecialize(ex), own, modules)
    is_expr(ex, :macrocall) || return
    args = parts_of(ex.args[2:end])
    if ex.args[1] === Symbol("@test_throws") && length(args) == 2 && args[1] isa Symbol
        args[1] in own || !any(mod -> isdefined(mod, args[1]), modules) || push!(records, record("error", args[1]))
    elseif ex.args[1] in (Symbol("@test"), Symbol("@assert")) && !isempty(args) && is_equation(args[1])
        for side in args[1].args[2:3]
            stands_alone(side, own, modules) && push!(records, record("expected", source_of(side)))
        end
    end
end

is_equation(@nospecialize(ex)) = is_expr(ex, :call) && length(ex.args) == 3 && ex.args[1] in (:(==), :(===), :isequal, :≈)

function note_call!(records::Vector{String}, @nospecialize(ex), own, modules)
    is_expr(ex, :call) && ex.args[1] in own || return
    rest = Expr(:call, :tuple, Any[arg for arg in ex.args[2:end] if !is_expr(arg, :parameters)]...)
    any(arg -> is_expr(arg, :kw), ex.args) || stands_alone(rest, own, modules) && push!(records, record("call", ex.args[1], source_of(rest)))
end
