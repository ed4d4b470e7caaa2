# From solutions to their mutants: one case a line on stdin, records on stdout. Nothing of a solution is run.
#
#   printer.jl     expressions -> code
#   operators.jl   what can go wrong in an expression
#   names.jl       names, values and calls in the tests
#
# A line holds five lists between spaces: the solution, unit tests, their setup and teardown, examples, imports.
# A list is its items in hexadecimal, between commas. A record is fields between unit separators, ended by a
# record separator:
#   form     line, name, "1" if it can be printed back, the code as it stands in the file, the code as printed
#   mutant   form, operator, line, first line that changes, how many lines go, the lines that come
#   name, field, expected, error, call        see names.jl
#   done     "", or why the case could not be mutated
module Mutator

include("printer.jl")
include("operators.jl")
include("names.jl")

struct Form
    code::Any
    line::Int
    source::String
    printed::String
    faithful::Bool
end

function parse_forms(text::String)
    forms = Form[]
    at, line = 1, 1
    while at <= sizeof(text)
        _, next = Meta.parse(text, at; raise = false)
        piece = text[at:prevind(text, next)]
        blanks = leading_blanks(piece)
        source = String(strip(piece[ncodeunits(blanks)+1:end]))
        # Parsed once more by itself: versions differ in where they count lines from.
        isempty(source) || push!(forms, make_form(Meta.parse(source; raise = false), line + count(==('\n'), blanks), source))
        line += count(==('\n'), piece)
        at = next
    end
    return forms
end

"What stands before the code itself: blank lines and comments."
leading_blanks(piece::String) = String(match(r"^(\s|#=.*?=#|#[^\n]*(\n|$))*"s, piece).match)

function make_form(@nospecialize(ex), line::Int, source::String)
    printed = try statement_text(ex) catch; "" end
    faithful = !(ex isa Expr && ex.head in (:error, :incomplete)) && parses_to(printed, ex)
    return Form(ex, line, source, printed, faithful)
end

"The expression with another one at the end of the path; all that is not on the path is shared."
function replaced(@nospecialize(ex), path::Vector{Int}, @nospecialize(new), depth::Int = 1)
    depth > length(path) && return new
    args = copy(ex.args)
    args[path[depth]] = replaced(args[path[depth]], path, new, depth + 1)
    return Expr(ex.head, args...)
end

"The name of what a form defines, for telling mutants apart; \"\" where it defines nothing."
function defined_name(@nospecialize(ex))
    ex isa Symbol && return String(ex)
    ex isa Expr || return ""
    ex.head === :macrocall && return defined_name(ex.args[end])
    ex.head === :struct && return defined_name(ex.args[2])
    ex.head === :macro && return string("@", defined_name(ex.args[1]))
    ex.head in (:function, :(=), :call, :where, :(::), :const, :curly, :<:, :abstract) && !isempty(ex.args) && return defined_name(ex.args[1])
    ex.head === :. && return source_of(ex)
    return ""
end

const FIELD, RECORD = '\x1f', '\x1e'

record(fields...) = string(join(fields, FIELD), RECORD)

"Where two lists of lines begin to differ, how many lines go, and which come."
function changed_lines(before::Vector{SubString{String}}, after::Vector{SubString{String}})
    start = 1
    while start <= min(length(before), length(after)) && before[start] == after[start]
        start += 1
    end
    same = 0
    while same < min(length(before), length(after)) - start + 1 && before[end-same] == after[end-same]
        same += 1
    end
    return start, length(before) - same - start + 1, after[start:end-same]
end

function write_case(io::IO, solution::String, tests::Vector{String}, around::Vector{String}, examples::Vector{String}, imports::Vector{String})
    empty!(PRINTED)
    forms = parse_forms(solution)
    own = Symbol[Symbol(defined_name(form.code)) for form in forms]
    for form in forms
        print(io, record("form", form.line, defined_name(form.code), form.faithful ? 1 : 0, form.source, form.printed))
    end
    foreach(text -> print(io, text), name_records(tests, around, imports))
    foreach(text -> print(io, text), value_records(tests, examples, own, imports))
    for (number, form) in enumerate(forms)
        form.faithful && write_mutants(io, number, form)
    end
end

function write_mutants(io::IO, number::Int, form::Form)
    seen = Set{String}([form.printed])
    lines = split(form.printed, '\n')
    for change in find_changes(form.code)
        mutated = replaced(form.code, change.path, change.new)
        printed = statement_text(mutated)
        printed in seen && continue
        push!(seen, printed)
        parses_to(printed, mutated) || continue
        start, gone, come = changed_lines(lines, split(printed, '\n'))
        # The parser counts lines from the start of the form.
        line = form.line + max(change.line, 1) - 1
        print(io, record("mutant", number, change.operator, line, start, gone, join(come, "\n")))
    end
end

read_list(text::AbstractString) = String[String(hex2bytes(String(item))) for item in split(text, ','; keepempty = false)]

function main()
    for line in eachline(stdin)
        solution, tests, around, examples, imports = map(read_list, split(line, ' '))
        io = IOBuffer()
        reason = try
            write_case(io, join(solution), tests, around, examples, imports)
            ""
        catch err
            first(sprint(showerror, err), 500)
        end
        write(stdout, take!(io), record("done", reason))
        flush(stdout)
    end
end

end

abspath(PROGRAM_FILE) == @__FILE__() && Mutator.main()
