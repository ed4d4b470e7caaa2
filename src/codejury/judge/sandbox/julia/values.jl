# What may be trusted, and how values and errors are shown: without calling a method of the candidate's,
# and without compiling anything new. Printing through `show` would do both.

"The outermost module below Main."
function root_module(m::Module)
    while true
        parent = parentmodule(m)
        (parent === m || parent === Main) && return m
        m = parent
    end
end

"Where a candidate lives, and what was there before it."
struct Scope
    home::Module               # the candidate's module
    world::UInt                # the age in which the judge decides
    trusted::Vector{Module}    # root modules loaded by then
    test_sets::Int             # open test sets of Test, usually none
    pristine::Module           # what the definition's names mean without the candidate
    asked_for::Symbol          # the name the test case is about
end

Scope(home::Module, pristine::Module, asked_for::Symbol) =
    Scope(home, world_age(), trusted_roots(), Test.get_testset_depth(), pristine, asked_for)

world_age() = ccall(:jl_get_world_counter, UInt, ())
trusted_roots() = Module[Core, Base, @__MODULE__, values(Base.loaded_modules)...]

# Packages that a candidate loads by itself count as its own: their methods are newer than the judge.
is_own(scope::Scope, m::Module) = (root = root_module(m); root === Main || !(root in scope.trusted))

"Does a type come from the candidate, itself or in one of its parameters?"
function is_own_type(scope::Scope, @nospecialize(T))
    T isa UnionAll && return is_own_type(scope, T.var.ub) || is_own_type(scope, T.body)
    T isa Union && return is_own_type(scope, T.a) || is_own_type(scope, T.b)
    T isa TypeVar && return is_own_type(scope, T.ub)
    T isa DataType || return false
    is_own(scope, T.name.module) && return true
    for parameter in T.parameters
        parameter isa Type || parameter isa TypeVar || continue
        parameter === T || is_own_type(scope, parameter) && return true
    end
    return false
end

const MOST_ELEMENTS = 100_000

"Is a value free of the candidate's types all the way down? Then the judge's own methods can compare it."
function is_plain(scope::Scope, @nospecialize(value), depth::Int = 0, seen::IdDict{Any,Nothing} = IdDict{Any,Nothing}())
    T = typeof(value)
    is_own_type(scope, T) && return false
    value isa Type && return !is_own_type(scope, value)
    depth > 20 && return false
    (isbitstype(T) || value isa String || value isa Symbol || value isa Function || value isa Module) && return true
    # What was looked at, or is being looked at, need not be again: shared structure has many paths.
    haskey(seen, value) && return true
    seen[value] = nothing
    if value isa Array
        is_closed(eltype(T)) && return true
        for i in 1:min(length(value), MOST_ELEMENTS)
            isassigned(value, i) && !is_plain(scope, value[i], depth + 1, seen) && return false
        end
        return true
    end
    value isa Union{Task,IO,Regex,BigInt,BigFloat} && return true
    for i in 1:nfields(value)
        isdefined(value, i) && !is_plain(scope, getfield(value, i), depth + 1, seen) && return false
    end
    return true
end

# Element types whose values cannot hide anything.
is_closed(@nospecialize(T)) = isbitstype(T) || T === String || T === SubString{String} || T === Symbol

# ---- for people

const MOST_TEXT = 400

function clip(text::String, most::Int = MOST_TEXT)
    length(text) <= most && return text
    return string(first(text, most - 1), '…')
end

type_name(@nospecialize(T)) = clip(string(T), 120)

"A value in a few characters: plain data as Julia writes it, anything else by its type."
function brief(@nospecialize(x), depth::Int = 0)
    x === nothing && return "nothing"
    x === missing && return "missing"
    x isa Bool && return x ? "true" : "false"
    x isa String && return repr(clip(x))
    x isa SubString{String} && return repr(clip(String(x)))
    x isa Symbol && return string(':', x)
    x isa Char && return repr(x)
    x isa Int && return string(x)
    x isa Float64 && return string(x)
    x isa Union{Int8,Int16,Int32,UInt8,UInt16,UInt32,UInt64,Int128,UInt128,Float32,BigInt} && return string(x)
    x isa Type && return type_name(x)
    x isa Module && return string(nameof(x))
    x isa Exception && return string(nameof(typeof(x)))
    x isa Handle && return string("<", x.type, ">")
    depth > 3 && return "…"
    x isa Tuple && return string("(", brief_list(i -> getfield(x, i), nfields(x), depth), nfields(x) == 1 ? ",)" : ")")
    x isa NamedTuple && return brief_named(x, depth)
    x isa Vector && return string(brief_eltype(x), "[", brief_list(i -> element(x, i), length(x), depth), "]")
    x isa Dict && return brief_dict(x, depth)
    return string("<", type_name(typeof(x)), ">")
end

const MOST_SHOWN = 20

element(x::Vector, i::Int) = isassigned(x, i) ? x[i] : Symbol("#undef")
brief_eltype(x::Vector) = eltype(x) in (Any, Int, Float64, String, Bool, Char, Symbol) && !isempty(x) && eltype(x) !== Any ? "" : type_name(eltype(x))

function brief_list(get, n::Int, depth::Int)
    shown = String[brief(get(i), depth + 1) for i in 1:min(n, MOST_SHOWN)]
    n > MOST_SHOWN && push!(shown, "… $(n - MOST_SHOWN) more")
    return join(shown, ", ")
end

function brief_named(@nospecialize(x), depth::Int)
    names = fieldnames(typeof(x))
    return string("(", join(String[string(names[i], " = ", brief(getfield(x, i), depth + 1)) for i in 1:min(nfields(x), MOST_SHOWN)], ", "), ")")
end

function brief_dict(@nospecialize(x), depth::Int)
    shown = String[]
    for pair in x
        length(shown) == MOST_SHOWN && (push!(shown, "…"); break)
        push!(shown, string(brief(getfield(pair, 1), depth + 1), " => ", brief(getfield(pair, 2), depth + 1)))
    end
    return string("Dict(", join(shown, ", "), ")")
end

"An exception as (type, message), through code that calls no method of the candidate's."
function describe(@nospecialize(err))
    while err isa LoadError || err isa InitError
        err = err.error
    end
    err isa TestFailed && return ("TestFailed", clip(err.message))
    return (clip(string(nameof(typeof(err))), 80), clip(message_of(err)))
end

function message_of(@nospecialize(err))
    err isa ErrorException && return text_of(err.msg)
    err isa UndefVarError && return string("`", err.var, "` is not defined")
    err isa MethodError && return method_message(err)
    err isa KeyError && return string("key ", brief(err.key), " not found")
    err isa BoundsError && return bounds_message(err)
    err isa DomainError && return string(brief(err.val), ": ", brief(err.msg))
    err isa InexactError && return string(err.func, "(", join(inexact_arguments(err), ", "), ")")
    err isa TypeError && return string("in ", err.func, ", expected ", brief(err.expected), ", got a value of type ", type_name(typeof(err.got)))
    err isa TaskFailedException && return "a task failed"
    err isa Exception && isdefined(err, :msg) && is_text(getfield(err, :msg)) && return text_of(getfield(err, :msg))
    err isa Exception && return ""
    return brief(err)
end

# From 1.12 on the arguments are kept as one tuple.
inexact_arguments(err::InexactError) = hasfield(InexactError, :args) ?
    String[brief(getfield(err.args, i)) for i in 1:nfields(err.args)] : String[brief(err.T), brief(err.val)]

is_text(@nospecialize(x)) = x isa String || x isa SubString{String}
text_of(@nospecialize(x)) = is_text(x) ? String(x) : brief(x)

function method_message(err::MethodError)
    callee = err.f isa Function ? string(nameof(err.f)) : brief(err.f)
    # keyword calls carry the function as an argument; the types say enough
    types = String[string("::", type_name(typeof(getfield(err.args, i)))) for i in 1:min(nfields(err.args), MOST_SHOWN)]
    return string("no method matching ", callee, "(", join(types, ", "), ")")
end

function bounds_message(err::BoundsError)
    isdefined(err, :a) || return "index out of bounds"
    place = isdefined(err, :i) ? string(" at index ", brief(err.i)) : ""
    size = err.a isa Array ? string(" of length ", length(err.a)) : ""
    return string("attempt to access a ", type_name(typeof(err.a)), size, place)
end
