# Expressions -> code that parses to the same expressions. Julia's own `show` is made for reading: it
# comments lines, and prints docstrings, macros and strings in ways that do not parse back everywhere.
#
#   source_of    an expression as code, blocks over several lines
#   same_code    whether two expressions mean the same: lines and the form of blocks do not count
#
# What is printed for an expression is kept: a mutant shares all but one path with its original.

const PRINTED = IdDict{Any,String}()

const ATOM = 100.0
const STATEMENT = -1.0          # return, function, ...: goes into parentheses wherever it is a part
const ASSIGNMENT = Float64(Base.operator_precedence(:(=)))
const CONDITIONAL = Float64(Base.operator_precedence(Symbol("?")))
const COMPARISON = Float64(Base.operator_precedence(:(==)))
const POWER = Float64(Base.operator_precedence(:^))
const UNARY = POWER - 0.5
const DECLARATION = Float64(Base.operator_precedence(:(::)))
const ARROW = ASSIGNMENT + 0.2
const COMMA = ASSIGNMENT + 0.1

const INDENT = "    "

function source_of(@nospecialize(ex))
    ex isa Expr || return literal(ex)
    kept = get(PRINTED, ex, nothing)
    kept === nothing || return kept
    text = print_expression(ex)
    PRINTED[ex] = text
    return text
end

literal(value::Symbol) = Base.isidentifier(value) || value in (:(:), :end, :begin) ? String(value) :
    Base.isoperator(value) ? string("(", value, ")") : value === Symbol("'") ? "adjoint" : string("var", repr(String(value)))
literal(value::QuoteNode) = value.value isa Symbol ? quoted_name(value.value) : string(":(", source_of(value.value), ")")
literal(value::GlobalRef) = string(value.mod, ".", value.name)
literal(::Nothing) = "nothing"
literal(@nospecialize(value)) = repr(value)

function quoted_name(name::Symbol)
    Base.isidentifier(name) && return string(":", name)
    Base.isoperator(name) || return string(":(", literal(name), ")")
    return name === :(:) || startswith(String(name), "=") ? string(":(", name, ")") : string(":", name)
end

is_line(@nospecialize(ex)) = ex isa LineNumberNode || ex isa Expr && ex.head === :line
parts_of(args) = Any[arg for arg in args if !is_line(arg)]
is_expr(@nospecialize(ex), head::Symbol) = ex isa Expr && ex.head === head

"How tightly an expression holds together; 100 for what never needs parentheses."
function tightness(@nospecialize(ex))
    ex isa Real && !(ex isa Bool) && signbit(ex) && return UNARY
    ex isa Expr || return ATOM
    head = ex.head
    head === :call && return tightness_of_call(ex)
    head === :comparison && return COMPARISON
    head in (:&&, :||, :(::), :<:, :>:) && return Float64(Base.operator_precedence(head))
    head === :where && return COMPARISON + 0.5
    head === :-> && return ARROW
    head === :if && return is_ternary(ex) ? CONDITIONAL : ATOM
    head === :... && return COMMA
    head === :block && return ATOM
    head in (:return, :const, :global, :local, :macrocall, :using, :import, :export) && return STATEMENT
    head in (:abstract, :primitive) && return STATEMENT
    is_assignment(head) && return ASSIGNMENT
    head === :$ && return ATOM
    return ATOM
end

function tightness_of_call(ex::Expr)
    f, arity = ex.args[1], length(ex.args) - 1
    f isa Symbol && Base.isoperator(f) && all(arg -> !is_expr(arg, :parameters) && !is_expr(arg, :...) && !is_expr(arg, :kw), ex.args) || return ATOM
    is_infix(f, arity) && return Float64(Base.operator_precedence(f))
    return arity == 1 && is_prefix(f) ? UNARY : ATOM
end

is_infix(f::Symbol, arity::Int) = f !== :! && (arity == 2 && Base.isbinaryoperator(f) || arity == 3 && f === :(:) || arity > 2 && f in (:+, :*))
is_prefix(f::Symbol) = Base.isunaryoperator(f) && f !== :(::) && f !== :(<:) && f !== :(>:) && f !== :(:) && f !== :$
is_assignment(head::Symbol) = head !== :(->) && Base.operator_precedence(head) == ASSIGNMENT && Base.isoperator(head)
is_ternary(ex::Expr) = length(ex.args) == 3 && !is_expr(ex.args[2], :block) && !is_expr(ex.args[3], :block) && !is_expr(ex.args[3], :elseif)

at_least(@nospecialize(ex), least) = tightness(ex) >= least ? source_of(ex) : string("(", source_of(ex), ")")
separated(args, least = COMMA, by = ", ") = join(String[at_least(arg, least) for arg in args], by)
indented(text::String) = replace(text, "\n" => "\n" * INDENT)

"The lines of a block, indented, without the words around them."
function body(@nospecialize(ex))
    statements = is_expr(ex, :block) ? parts_of(ex.args) : Any[ex]
    return join(String[string("\n", INDENT, indented(statement_text(statement))) for statement in statements])
end

statement_text(@nospecialize(ex)) = is_bare_tuple(ex) ? separated(ex.args) :
    is_expr(ex, :(=)) && !is_definition(ex.args[1]) ? string(statement_text(ex.args[1]), " = ", statement_text(ex.args[2])) : source_of(ex)

"Whether a tuple needs no parentheses where a statement, a target or a returned value stands."
is_bare_tuple(@nospecialize(ex)) = is_expr(ex, :tuple) && length(ex.args) > 1 &&
    all(arg -> !is_expr(arg, :parameters) && !is_expr(arg, :(=)) && !is_expr(arg, :...), ex.args)

function print_expression(ex::Expr)
    head, args = ex.head, ex.args
    head === :call && return print_call(ex)
    head in (:block, :quote, :if, :for, :while, :let, :try, :function, :macro, :struct, :module, :do) && return print_block_form(ex)
    head in (:tuple, :vect, :hcat, :vcat, :row, :ref, :typed_hcat, :typed_vcat, :curly, :braces) && return print_bracketed(ex)
    head in (:comprehension, :typed_comprehension, :generator, :flatten) && return print_comprehension(ex)
    head === :macrocall && return print_macrocall(ex)
    head === :string && return print_string(args)
    head === :. && return print_dotted(ex)
    head === :-> && return string(print_parameters(args[1]), " -> ", print_arrow_body(args[2]))
    head === :comparison && return join(String[isodd(i) ? at_least(arg, COMPARISON + 0.1) : string(arg) for (i, arg) in enumerate(args)], " ")
    head in (:&&, :||) && return print_lazy(ex)
    head in (:(::), :<:, :>:) && return print_typed(ex)
    head === :where && return string(at_least(args[1], COMPARISON + 0.5), " where {", separated(args[2:end]), "}")
    head in (:kw, :parameters) && return head === :kw ? string(source_of(args[1]), " = ", at_least(args[2], ASSIGNMENT + 0.05)) : separated(args, STATEMENT)
    head === :... && return string(at_least(args[1], CONDITIONAL), "...")
    head === :$ && return args[1] isa Symbol ? string("\$", args[1]) : string("\$(", source_of(args[1]), ")")
    head === Symbol("'") && return string(at_least(args[1], POWER + 0.1), "'")
    head in (:return, :break, :continue) && return print_jump(ex)
    head in (:const, :global, :local) && return string(head, " ", separated(args, ASSIGNMENT))
    head === :abstract && return string("abstract type ", source_of(args[1]), " end")
    head === :elseif && return print_branches(ex)
    head === :toplevel && return join(String[source_of(arg) for arg in parts_of(args)], "; ")
    is_assignment(head) && length(args) == 2 && return print_assignment(ex)
    return print_as_julia_does(ex)
end

print_as_julia_does(ex::Expr) = string(without_lines(ex))

function print_jump(ex::Expr)
    isempty(ex.args) && return string(ex.head)
    ex.args[1] === nothing && return "return"
    return string("return ", statement_text(ex.args[1]))
end

# ---- calls and operators

function print_call(ex::Expr)
    f, args = ex.args[1], ex.args[2:end]
    if tightness_of_call(ex) < ATOM
        length(args) == 1 && return print_prefix(f, args[1])
        f === :(:) && return join(String[at_least(arg, tightness(ex) + 0.1) for arg in args], ":")
        return print_infix(f, args, tightness(ex))
    end
    return string(callee(f), "(", print_arguments(args), ")")
end

callee(@nospecialize(f)) = is_expr(f, :$) || f isa Symbol && Base.isoperator(f) && !Base.isidentifier(f) ?
    string("(", f isa Symbol ? f : source_of(f), ")") : at_least(f, DECLARATION + 0.5)

function print_arguments(args)
    plain = Any[arg for arg in args if !is_expr(arg, :parameters)]
    named = Any[arg for arg in args if is_expr(arg, :parameters)]
    text = length(plain) == 1 && is_expr(plain[1], :generator) ? generator_text(plain[1]) : separated_arguments(plain)
    isempty(named) && return text
    return string(text, "; ", join(String[separated_arguments(one.args) for one in named], "; "))
end

separated_arguments(args) = join(String[argument_text(arg) for arg in args], ", ")
argument_text(@nospecialize(arg)) = arg isa Symbol && Base.isoperator(arg) && !(arg in (:(:), :$)) ? operator_value(arg) :
    is_expr(arg, :kw) || is_expr(arg, :...) ? source_of(arg) : at_least(arg, ARROW)
operator_value(f::Symbol) = Base.isidentifier(f) ? String(f) : string("(", f, ")")

function print_prefix(f::Symbol, @nospecialize(arg))
    text = at_least(arg, UNARY)
    # `-1` is a number, `-(1)` a call; `+(a, b)` would be a call with two arguments.
    (arg isa Number || is_expr(arg, :tuple)) && return string(f, "(", text, ")")
    return string(f, text)
end

function print_infix(f::Symbol, args, level::Float64)
    leftward = Base.operator_associativity(f) === :left
    texts = String[operand(arg, f, level, i == 1 && leftward || i == length(args) && Base.operator_associativity(f) === :right) for (i, arg) in enumerate(args)]
    return join(texts, f === :^ || f === :.^ ? String(f) : string(" ", f, " "))
end

function operand(@nospecialize(arg), f::Symbol, level::Float64, same_level_ok::Bool)
    merges = f in (:+, :*, :++) && is_expr(arg, :call) && arg.args[1] === f     # a + b + c is one call
    comparing = level == COMPARISON
    least = same_level_ok && !merges && !comparing ? level : level + 0.1
    return at_least(arg, level >= POWER ? max(least, level + 0.1 * !same_level_ok) : least)
end

function print_lazy(ex::Expr)
    level = tightness(ex)
    left, right = ex.args
    jump = right isa Expr && right.head in (:return, :break, :continue)
    return string(at_least(left, level + 0.1), " ", ex.head, " ", jump ? source_of(right) : at_least(right, level))
end

function print_typed(ex::Expr)
    length(ex.args) == 1 && return string(ex.head, at_least(ex.args[1], DECLARATION + 0.1))
    level = tightness(ex)
    gap = ex.head === :(::) ? "" : " "
    return string(at_least(ex.args[1], level + 0.1), gap, ex.head, gap, at_least(ex.args[2], level + 0.1))
end

function print_assignment(ex::Expr)
    target, value = ex.args
    value = is_expr(value, :block) ? short_body(value) : value
    left = is_definition(target) ? signature_text(target) : at_least(target, ASSIGNMENT + 0.1)
    return string(left, " ", ex.head, " ", at_least(value, ASSIGNMENT))
end

"The body of `f(x) = body` or `x -> body`: the parser puts even one expression into a block."
function short_body(block::Expr)
    statements = parts_of(block.args)
    return length(statements) == 1 ? statements[1] : block
end

is_definition(@nospecialize(target)) = target isa Expr && (target.head === :call || target.head in (:where, :(::)) && is_definition(target.args[1]))

print_parameters(@nospecialize(ex)) = is_expr(ex, :tuple) ? string("(", print_arguments(ex.args), takes_a_tuple(ex) ? ",)" : ")") :
    at_least(ex, DECLARATION)

"`((a, b),) -> ...` has one parameter, which is taken apart."
takes_a_tuple(ex::Expr) = length(ex.args) == 1 && is_expr(ex.args[1], :tuple)
print_arrow_body(@nospecialize(ex)) = at_least(is_expr(ex, :block) ? short_body(ex) : ex, ASSIGNMENT + 0.05)

# ---- brackets

function print_bracketed(ex::Expr)
    head, args = ex.head, ex.args
    head === :tuple && return print_tuple(args)
    head === :vect && return string("[", print_arguments(args), "]")
    head === :hcat && return string("[", separated(args, ATOM, " "), "]")
    head === :row && return separated(args, ATOM, " ")
    head === :vcat && return string("[", print_rows(args), "]")
    first_text = callee(args[1])
    head === :typed_hcat && return string(first_text, "[", separated(args[2:end], ATOM, " "), "]")
    head === :typed_vcat && return string(first_text, "[", print_rows(args[2:end]), "]")
    head === :ref && return string(first_text, "[", print_arguments(args[2:end]), "]")
    head === :curly && return string(first_text, "{", print_arguments(args[2:end]), "}")
    return print_as_julia_does(ex)
end

print_rows(args) = string(join(String[source_of(arg) for arg in args], "; "), length(args) == 1 ? ";" : "")

function print_tuple(args)
    length(args) == 1 && !is_expr(args[1], :parameters) && return string("(", tuple_item(args[1]), ",)")
    isempty(args) && return "()"
    is_expr(args[1], :parameters) && return string("(", join(map(tuple_item, args[2:end]), ", "), "; ", print_arguments(args[1].args), ")")
    return string("(", join(map(tuple_item, args), ", "), ")")
end

tuple_item(@nospecialize(arg)) = is_expr(arg, :(=)) ? source_of(arg) : argument_text(arg)

function print_comprehension(ex::Expr)
    ex.head === :comprehension && return string("[", generator_text(ex.args[1]), "]")
    ex.head === :typed_comprehension && return string(callee(ex.args[1]), "[", generator_text(ex.args[2]), "]")
    return string("(", generator_text(ex), ")")
end

function generator_text(ex::Expr)
    if ex.head === :flatten        # [x for a in b for x in a]: the inner generator holds the outer loop's value
        outer = ex.args[1]
        inner, loops = outer.args[1], outer.args[2:end]
        value, rest = split_generator(inner)
        return string(value, " for ", loops_text(loops), rest)
    end
    return join(split_generator(ex))
end

function split_generator(ex::Expr)
    if ex.head === :flatten
        outer = ex.args[1]
        value, rest = split_generator(outer.args[1])
        return value, string(" for ", loops_text(outer.args[2:end]), rest)
    end
    return at_least(ex.args[1], ARROW), string(" for ", loops_text(ex.args[2:end]))
end

function loops_text(loops)
    if length(loops) == 1 && is_expr(loops[1], :filter)
        return string(loops_text(loops[1].args[2:end]), " if ", at_least(loops[1].args[1], CONDITIONAL + 0.1))
    end
    return join(String[loop_text(loop) for loop in loops], ", ")
end

loop_text(@nospecialize(loop)) = is_expr(loop, :(=)) ? string(source_of(loop.args[1]), " in ", at_least(loop.args[2], CONDITIONAL + 0.1)) : source_of(loop)

function print_dotted(ex::Expr)
    length(ex.args) == 2 || return print_as_julia_does(ex)
    left, right = callee(ex.args[1]), ex.args[2]
    is_expr(right, :tuple) && return string(left, ".(", print_arguments(right.args), ")")
    right isa QuoteNode && right.value isa Symbol && return string(left, ".", field_text(right.value))
    return print_as_julia_does(ex)
end

field_text(name::Symbol) = Base.isidentifier(name) || startswith(String(name), "@") ? String(name) :
    Base.isoperator(name) ? (length(String(name)) == 1 && name !== :(:) ? string(":", name) : string(":(", name, ")")) : literal(name)

# ---- text and macros

function print_string(parts)
    io = IOBuffer()
    print(io, '"')
    for part in parts
        part isa AbstractString ? print(io, escape_string(part, "\"\$")) : print(io, "\$(", source_of(part), ")")
    end
    print(io, '"')
    return String(take!(io))
end

is_doc(@nospecialize(name)) = name isa GlobalRef && name.name === Symbol("@doc") ||
    is_expr(name, :.) && name.args[1] === :Core && name.args[2] == QuoteNode(Symbol("@doc"))

function macro_name(@nospecialize(name))
    name === Symbol("@__dot__") && return "@."
    name isa Symbol && return String(name)
    name isa GlobalRef && return string(name.mod, ".", name.name)
    is_expr(name, :.) && name.args[2] isa QuoteNode && return string(source_of(name.args[1]), ".", name.args[2].value)
    return source_of(name)
end

function print_macrocall(ex::Expr)
    name, args = ex.args[1], parts_of(ex.args[2:end])
    filter!(arg -> arg !== nothing, args)
    is_doc(name) && length(args) == 2 && return string(doc_text(args[1]), "\n", source_of(args[2]))
    text = name isa Symbol ? String(name) : ""
    if endswith(text, "_str") && length(args) == 1 && args[1] isa String && !occursin(r"[\"\\]$|\"|\n", args[1])
        return string(text[2:end-4], '"', args[1], '"')
    end
    name isa GlobalRef && name.name === Symbol("@cmd") && length(args) == 1 && !occursin('`', args[1]) && return string('`', args[1], '`')
    spaced = string(macro_name(name), join(String[string(" ", macro_argument(arg)) for arg in args]))
    parses_to(spaced, ex) && return spaced
    return string(macro_name(name), "(", join(String[is_expr(arg, :(=)) ? source_of(arg) : at_least(arg, ARROW) for arg in args], ", "), ")")
end

macro_argument(@nospecialize(arg)) = is_expr(arg, :macrocall) ? source_of(arg) : is_expr(arg, :tuple) ? source_of(arg) : at_least(arg, ASSIGNMENT)
doc_text(@nospecialize(doc)) = doc isa String && occursin('\n', doc) && !occursin(r"[\"\\$]", doc) ? string("\"\"\"\n", doc, "\"\"\"") : source_of(doc)

function parses_to(text::String, @nospecialize(ex))
    again = try Meta.parse(text; raise = false) catch; return false end
    return same_code(again, ex)
end

# ---- forms with an `end`

function print_block_form(ex::Expr)
    head, args = ex.head, ex.args
    head === :block && return print_block(ex)
    head === :quote && return is_expr(args[1], :block) ? string("quote", body(args[1]), "\nend") : string(":(", source_of(args[1]), ")")
    head === :if && is_ternary(ex) && return print_ternary(args)
    head === :if && return string(print_branches(ex), "\nend")
    head === :for && return string("for ", loops_of(args[1]), body(args[2]), "\nend")
    head === :while && return string("while ", source_of(args[1]), body(args[2]), "\nend")
    head === :let && return string("let ", is_expr(args[1], :block) ? separated(parts_of(args[1].args), ASSIGNMENT) : source_of(args[1]), body(args[2]), "\nend")
    head === :try && return print_try(args)
    head === :do && return print_do(args)
    head === :module && return string(args[1] ? "module " : "baremodule ", args[2], body(args[3]), "\nend")
    head === :struct && return string(args[1] ? "mutable struct " : "struct ", source_of(args[2]), body(args[3]), "\nend")
    head === :function && return string("function ", function_head(args), length(args) > 1 ? body(args[2]) : "", "\nend")
    return string(head, " ", source_of(args[1]), length(args) > 1 ? body(args[2]) : "", "\nend")
end

function_head(args) = is_expr(args[1], :tuple) ? print_parameters(args[1]) : signature_text(args[1])

"What is defined, as a call: `function a + b` would not do."
function signature_text(@nospecialize(ex))
    is_expr(ex, :where) && return string(signature_text(ex.args[1]), " where {", separated(ex.args[2:end]), "}")
    is_expr(ex, :(::)) && length(ex.args) == 2 && return string(signature_text(ex.args[1]), "::", at_least(ex.args[2], DECLARATION + 0.1))
    tightness(ex) < ATOM && is_expr(ex, :call) && return string(ex.args[1], "(", print_arguments(ex.args[2:end]), ")")
    return source_of(ex)
end

"`(a; b)` and `begin a; b end` are one and the same to Julia."
function print_block(ex::Expr)
    isempty(parts_of(ex.args)) && return "begin\nend"
    return string("begin", body(ex), "\nend")
end

function print_ternary(args)
    least = CONDITIONAL + 0.1
    return string(at_least(args[1], least), " ? ", at_least(args[2], least), " : ", at_least(args[3], CONDITIONAL))
end

function print_branches(ex::Expr)
    condition = is_expr(ex.args[1], :block) ? short_body(ex.args[1]) : ex.args[1]
    text = string(ex.head, " ", source_of(condition), body(ex.args[2]))
    length(ex.args) == 2 && return text
    is_expr(ex.args[3], :elseif) && return string(text, "\n", print_branches(ex.args[3]))
    return string(text, "\nelse", body(ex.args[3]))
end

loops_of(@nospecialize(ex)) = is_expr(ex, :block) ? join(String[loop_text(one) for one in parts_of(ex.args)], ", ") : loop_text(ex)

function print_try(args)
    text = string("try", body(args[1]))
    if !(args[2] === false && args[3] === false)
        text = string(text, args[2] === false ? "\ncatch" : string("\ncatch ", source_of(args[2])), body(args[3]))
    end
    length(args) == 5 && (text = string(text, "\nelse", body(args[5])))
    length(args) >= 4 && args[4] !== false && (text = string(text, "\nfinally", body(args[4])))
    return string(text, "\nend")
end

function print_do(args)
    parameters = args[2].args[1].args
    given = isempty(parameters) ? "" : string(" ", join(String[argument_text(one) for one in parameters], ", "))
    return string(source_of(args[1]), " do", given, body(args[2].args[2]), "\nend")
end

# ---- comparing

"An expression without its line numbers; macros keep an empty place for theirs."
function without_lines(@nospecialize(ex))
    ex isa Expr || return ex
    args = ex.head === :macrocall ? Any[ex.args[1]; nothing; parts_of(ex.args[2:end])] : parts_of(ex.args)
    return Expr(ex.head, Any[without_lines(arg) for arg in args]...)
end

"The same, with blocks of one statement opened and blocks in blocks made one: neither changes what runs."
function plain(@nospecialize(ex), in_quote::Bool = false)
    ex isa QuoteNode && ex.value isa Expr && return plain(Expr(:quote, ex.value), in_quote)
    ex isa GlobalRef && return Symbol(string(ex))
    is_expr(ex, :.) && ex.args[1] === :Core && ex.args[end] == QuoteNode(Symbol("@doc")) && return Symbol("Core.@doc")
    ex isa Expr || return ex
    in_quote = in_quote || ex.head === :quote
    args = ex.head === :macrocall ? Any[plain(ex.args[1]); Any[arg for arg in parts_of(ex.args[2:end]) if arg !== nothing]] : parts_of(ex.args)
    args = Any[plain(arg, in_quote) for arg in args]
    if ex.head === :block
        args = flat(args)
        length(args) == 1 && !in_quote && return args[1]
    end
    return Expr(ex.head, args...)
end

function flat(args)
    result = Any[]
    for arg in args
        is_expr(arg, :block) ? append!(result, arg.args) : push!(result, arg)
    end
    return result
end

same_code(@nospecialize(a), @nospecialize(b)) = a === b || isequal(plain(a), plain(b))
