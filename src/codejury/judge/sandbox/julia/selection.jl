# Which blocks of an answer are its code: candidates (a), (b) and (c), in the order they are tried.

struct Snippet
    kind::String      # "julia", "untagged", "bare" (no fence at all), "html", "indented", or "other"
    code::String
    quoted::Vector{Int}     # lines that look like a prompt and are text, see `without_prompts`
end
Snippet(kind, code) = Snippet(kind, code, Int[])

struct Candidate
    rule::String
    used::Vector{Int}       # indices of snippets, from 1
    code::String
    parsed::Parsed
end

"A snippet that counts as Julia, read once."
struct Reading
    index::Int
    code::String
    parsed::Parsed
end

function select_candidates(snippets::Vector{Snippet}, name::Symbol)
    readings = julia_readings(snippets, name)
    candidates = Candidate[]
    for (rule, chosen) in (("all", readings), ("defining", defining(readings, name)), ("last_defining", last_defining(readings, name)))
        isempty(chosen) && continue
        used = Int[reading.index for reading in chosen]
        any(candidate -> candidate.used == used, candidates) && continue
        code = join(String[reading.code for reading in chosen], "\n")
        parsed = length(chosen) == 1 ? chosen[1].parsed : parse_code(code)
        isempty(parsed.statements) && parsed_well(parsed) && continue
        push!(candidates, Candidate(rule, used, code, parsed))
    end
    return candidates
end

"""
Blocks tagged Julia; without any, untagged ones that are Julia, or without a fence the whole answer if it is. Without
those, code between HTML tags, else indented code, if it is Julia and defines the name: by themselves such marks say
little, and the body of a function among prose is indented too.
"""
function julia_readings(snippets::Vector{Snippet}, name::Symbol)
    tagged = read_all_of(snippets, "julia")
    isempty(tagged) || return tagged
    plain = julia_among(snippets, ("untagged", "bare"))
    isempty(plain) || return plain
    for kind in ("html", "indented")
        readings = julia_among(snippets, (kind,))
        any(reading -> defines(reading.parsed, name), readings) && return readings
    end
    return Reading[]
end

julia_among(snippets::Vector{Snippet}, kinds) = filter(
    reading -> parsed_well(reading.parsed) && holds_code(reading.parsed),
    Reading[reading for kind in kinds for reading in read_all_of(snippets, kind)])

function read_all_of(snippets::Vector{Snippet}, kind::String)
    readings = Reading[]
    for (index, snippet) in enumerate(snippets)
        snippet.kind == kind || continue
        code = without_prompts(snippet.code, snippet.quoted)
        push!(readings, Reading(index, code, parse_code(code)))
    end
    return readings
end

# One word of prose is a valid Julia symbol, two with a comma a tuple: not what anybody means by code.
holds_code(parsed::Parsed) = any(statement -> is_action(statement.code), parsed.statements)

is_action(@nospecialize(ex)) = ex isa Expr && !(ex.head in (:tuple, :vect, :string, :quote, :., :curly, :ref)) &&
    !(ex.head === :call && all(arg -> !(arg isa Expr), ex.args) && ex.args[1] in (:-, :/, :*, :+, :(:)))

defining(readings, name) = begin
    last_one = findlast(reading -> defines(reading.parsed, name), readings)
    last_one === nothing ? Reading[] :
        filter(reading -> defines(reading.parsed, name) || only_defines(reading.parsed), readings[1:last_one])
end

last_defining(readings, name) = begin
    at = findlast(reading -> defines(reading.parsed, name), readings)
    at === nothing ? Reading[] : readings[at:at]
end

defines(parsed::Parsed, name::Symbol) =
    parsed_well(parsed) && any(statement -> name in defined_names(statement.code), parsed.statements)

"Types, constants, functions and imports alone: a block that cannot fail by itself."
only_defines(parsed::Parsed) =
    parsed_well(parsed) && all(statement -> is_definition(statement.code), parsed.statements)

const DEFINING_HEADS = (:function, :macro, :struct, :abstract, :primitive, :const, :using, :import, :export, :module)

function is_definition(@nospecialize(ex))
    ex isa Expr || return true
    ex.head in DEFINING_HEADS && return true
    ex.head === :(=) && return is_call(ex.args[1]) || !(ex.args[2] isa Expr && ex.args[2].head === :call)
    ex.head === :block && return all(arg -> arg isa LineNumberNode || is_definition(arg), ex.args)
    # a docstring, @inline, Base.@kwdef ...: as good as what it decorates
    ex.head === :macrocall && return length(ex.args) >= 3 && ex.args[end] isa Expr && is_definition(ex.args[end])
    return false
end

is_call(@nospecialize(ex)) =
    ex isa Expr && (ex.head === :call || (ex.head in (:where, :(::)) && is_call(ex.args[1])))

"The names that a top-level statement binds, also inside blocks, modules and under macros."
function defined_names(@nospecialize(ex), names = Symbol[])
    ex isa Expr || return names
    if ex.head in (:function, :(=), :macro, :abstract, :primitive)
        add_name!(names, ex.args[1])
    elseif ex.head === :struct
        add_name!(names, ex.args[2])
    elseif ex.head in (:block, :module, :macrocall, :const, :global, :toplevel, :if, :let)
        foreach(arg -> defined_names(arg, names), ex.args)
    end
    return names
end

# f, f(x), f(x)::T, f(x) where T, F{T}, F <: G, Base.f
function add_name!(names, @nospecialize(target))
    if target isa Symbol
        push!(names, target)
    elseif target isa QuoteNode && target.value isa Symbol
        push!(names, target.value)
    elseif target isa Expr && target.head === :tuple
        foreach(arg -> add_name!(names, arg), target.args)
    elseif target isa Expr && target.head === :.
        add_name!(names, target.args[end])
    elseif target isa Expr && !isempty(target.args) && target.head in (:call, :where, :(::), :curly, :<:)
        add_name!(names, target.args[1])
    end
end
