# Text -> expressions, each with the line it starts on.

struct Statement
    line::Int
    code::Any
end

"What parsing gave: statements, or the first error and its line."
struct Parsed
    statements::Vector{Statement}
    error::String
    line::Int
end

parsed_well(parsed::Parsed) = isempty(parsed.error)

# Meta.parseall came with 1.6.
parse_text(text::String) = isdefined(Meta, :parseall) ?
    Meta.parseall(text; filename = "answer") : Base.parse_input_line(text; filename = "answer")

isbroken(@nospecialize(ex)) = ex isa Expr && (ex.head === :error || ex.head === :incomplete)

function parse_code(text::String)
    statements = Statement[]
    line = 1
    whole = try
        parse_text(text)
    catch err      # some versions throw instead of returning an error expression
        Expr(:error, err)
    end
    pieces = whole isa Expr && whole.head === :toplevel ? whole.args : Any[whole]
    for piece in pieces
        if piece isa LineNumberNode
            line = piece.line
        elseif isbroken(piece)
            return Parsed(statements, syntax_message(piece), broken_line(text))
        elseif piece !== nothing
            push!(statements, Statement(line, piece))
        end
    end
    return Parsed(statements, "", 0)
end

"The line on which the first statement that does not parse begins. Older parsers do not say."
function broken_line(text::String)
    at = 1
    while at <= sizeof(text)
        ex, next = try
            Meta.parse(text, at; raise = false)
        catch
            (Expr(:error), at)
        end
        isbroken(ex) && break
        at = next
    end
    start = findnext(c -> !isspace(c) && c != ';', text, min(at, lastindex(text)))
    return 1 + count(==('\n'), SubString(text, 1, prevind(text, start === nothing ? lastindex(text) : start)))
end

# An error expression holds a text up to 1.9 and an exception with a text after.
function syntax_message(broken::Expr)
    reason = isempty(broken.args) ? "syntax error" : broken.args[1]
    reason isa String && return first_line(reason)
    reason isa Exception && hasproperty(reason, :msg) && reason.msg isa String && return parser_message(reason.msg)
    return "syntax error"
end

"""
The sentence in a parser's message. From 1.10 on it draws a picture of the place below a headline:

    ParseError:
    # Error @ answer:1:10
    f(x) = x +
    #         └ ── premature end of input       ->   premature end of input
"""
function parser_message(text::String)
    for line in split(text, '\n')
        mark = findfirst("── ", line)
        mark === nothing || return String(strip(line[last(mark)+1:end]))
    end
    return first_line(text)
end

first_line(text::String) = String(strip(first(split(strip(text), '\n'))))

const REPL_PROMPT = "julia> "
# A command of the package manager: no Julia, and nothing a candidate needs here.
const PKG_COMMAND = r"^\s*(\(@?[\w.]+\)\s*)?pkg>|^\]\s?(add|activate|instantiate|dev|develop|build|precompile|resolve|rm|st|status|test|up|update)\b"

"""
A REPL transcript reduced to its inputs, without commands to the package manager; other text as it is.

    julia> f(x) =
           x + 1
    f (generic function with 1 method)      ->   f(x) =\\n    x + 1

Code above the first prompt is what the prompts show at work: it stays. `quoted` are the lines, from 1, that only look
like prompts and commands: they are text in a string or a comment.
"""
function without_prompts(text::String, quoted::Vector{Int} = Int[])
    in_text = Set(quoted)
    numbered = [(line, number in in_text) for (number, line) in enumerate(split(text, '\n'))]
    filter!(((line, is_text),) -> is_text || !occursin(PKG_COMMAND, line), numbered)
    lines = first.(numbered)
    prompts = Bool[!is_text && startswith(line, REPL_PROMPT) for (line, is_text) in numbered]
    prompt = findfirst(prompts)
    prompt === nothing && return join(lines, "\n")
    above = join(lines[1:prompt-1], "\n")
    inputs = isempty(strip(above)) || !parsed_well(parse_code(above)) ? String[] : [above]
    open_input = ""      # an input that is not complete yet
    for number in prompt:length(lines)
        line = lines[number]
        if prompts[number]
            isempty(open_input) || push!(inputs, open_input)
            open_input = String(line[sizeof(REPL_PROMPT)+1:end])
        elseif !isempty(open_input)
            open_input = string(open_input, "\n", startswith(line, "       ") ? line[8:end] : line)
        end
        if !isempty(open_input) && is_complete(open_input)
            push!(inputs, open_input)
            open_input = ""
        end
    end
    isempty(open_input) || push!(inputs, open_input)
    return join(inputs, "\n")
end

function is_complete(text::String)
    whole = try parse_text(text) catch; return true end
    last_piece = whole isa Expr && whole.head === :toplevel && !isempty(whole.args) ? whole.args[end] : whole
    return !(last_piece isa Expr && last_piece.head === :incomplete)
end
