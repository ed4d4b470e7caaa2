# What can go wrong in a solution, one small change at a time.
#
#   find_changes   every change of one top-level expression: what kind, where, and the new expression there
#
# Left alone: types and signatures (but not the default values in them), imports, docstrings, and the words
# of error messages, for a test must not check any of those.

struct Change
    operator::String
    path::Vector{Int}       # from the top-level expression down, by argument
    new::Any
    line::Int
end

const SWAPS = Dict{Symbol,Vector{Symbol}}(
    :+ => [:-], :- => [:+], :* => [:/], :/ => [:*], :÷ => [:/], :% => [:÷], :^ => [:*], :// => [:/],
    :< => [:<=, :>=], :<= => [:<, :>], :> => [:>=, :<=], :>= => [:>, :<], :(==) => [:!=], :!= => [:(==)],
    :(===) => [:!==], :!== => [:(===)], :& => [:|], :| => [:&], :xor => [:|], :⊻ => [:|], :<< => [:>>], :>> => [:<<],
    :div => [:mod], :mod => [:rem, :div], :rem => [:mod, :div], :fld => [:cld], :cld => [:fld], :mod1 => [:mod],
    :fldmod => [:divrem], :divrem => [:fldmod], :min => [:max], :max => [:min], :minimum => [:maximum], :maximum => [:minimum],
    :argmin => [:argmax], :argmax => [:argmin], :findmin => [:findmax], :findmax => [:findmin], :first => [:last], :last => [:first],
    :push! => [:pushfirst!], :pushfirst! => [:push!], :pop! => [:popfirst!], :popfirst! => [:pop!],
    :append! => [:prepend!], :prepend! => [:append!], :any => [:all], :all => [:any], :floor => [:ceil], :ceil => [:floor],
    :round => [:floor], :trunc => [:floor], :startswith => [:endswith], :endswith => [:startswith], :lstrip => [:rstrip], :rstrip => [:lstrip],
    :findfirst => [:findlast], :findlast => [:findfirst], :findnext => [:findprev], :findprev => [:findnext],
    :searchsortedfirst => [:searchsortedlast], :searchsortedlast => [:searchsortedfirst], :lpad => [:rpad], :rpad => [:lpad],
    :lowercase => [:uppercase], :uppercase => [:lowercase], :isuppercase => [:islowercase], :islowercase => [:isuppercase],
    :iseven => [:isodd], :isodd => [:iseven], :keys => [:values], :values => [:keys], :sum => [:prod], :prod => [:sum],
    :zero => [:one], :one => [:zero], :zeros => [:ones], :ones => [:zeros], :union => [:intersect], :intersect => [:union], :setdiff => [:intersect],
    :foldl => [:foldr], :foldr => [:foldl], :nextind => [:prevind], :prevind => [:nextind], :sin => [:cos], :cos => [:sin],
    :isequal => [:(!=)], :firstindex => [:lastindex], :lastindex => [:firstindex], :cumsum => [:cumprod], :isdigit => [:isletter], :isletter => [:isdigit],
    :vcat => [:hcat], :hcat => [:vcat], :isless => [:isequal])

# `f(x)` becomes `x`: what the call would have done to it is forgotten.
const FORGETTABLE = (:sort, :sort!, :reverse, :reverse!, :unique, :unique!, :strip, :lstrip, :rstrip, :chomp, :lowercase, :uppercase, :abs,
    :copy, :deepcopy, :collect, :float, :String, :string, :Int, :Int64, :Float64, :Symbol, :Char, :Set, :Vector, :esc, :abs2, :sqrt,
    :skipmissing, :vec, :adjoint, :transpose, :identity, :lock, :wait, :fetch, :big, :Integer, :Rational, :escape_string)

const NEGATABLE = (:isempty, :haskey, :in, :∈, :∉, :isa, :isnothing, :ismissing, :iszero, :isone, :isnan, :isinf, :isfinite, :isspace,
    :isdigit, :isletter,
    :isdefined, :hasproperty, :hasmethod, :occursin, :startswith, :endswith, :isready, :isopen, :issorted, :issubset, :ispunct, :isuppercase, :islowercase)

const COMMUTATIVE = (:+, :*, :(==), :!=, :(===), :!==, :min, :max, :&, :|, :isequal, :isapprox, :≈, :union, :intersect, :gcd, :lcm,
    :hypot, :xor, :⊻, :println, :print, :Dict, :Set)

const ASSIGNING = Dict{Symbol,Symbol}(:+= => :-=, :-= => :+=, :*= => :/=, :/= => :*=, :÷= => :/=, :%= => :÷=, :|= => :&=, :&= => :|=,
    :⊻= => :|=, :^= => :*=, :<<= => :>>=, :>>= => :<<=)

# Nobody asks for what these give back.
const VALUELESS = (:throw, :error, :rethrow, :print, :println, :show, :write, :join, :foreach, :put!, :close, :notify)
const SPEAKING_MACROS = (Symbol("@assert"), Symbol("@warn"), Symbol("@info"), Symbol("@error"), Symbol("@debug"))
const CONVERSIONS = (:convert, :round, :floor, :ceil, :trunc, :parse)

mutable struct Walk
    changes::Vector{Change}
    line::Int
    settled::Set{Vector{Int}}       # places where the same change is made by another name already
end

function find_changes(@nospecialize(ex))
    walk = Walk(Change[], 0, Set{Vector{Int}}())
    visit(walk, ex, Int[])
    return walk.changes
end

note(walk::Walk, operator::String, path::Vector{Int}, @nospecialize(new)) = push!(walk.changes, Change(operator, copy(path), new, walk.line))

function visit_all(walk::Walk, ex::Expr, path::Vector{Int}, which)
    for i in which
        ex.args[i] isa LineNumberNode && (walk.line = ex.args[i].line; continue)
        visit(walk, ex.args[i], [path; i])
    end
end

function visit(walk::Walk, @nospecialize(ex), path::Vector{Int})
    ex isa Expr || return change_literal(walk, ex, path)
    head = ex.head
    head in (:import, :using, :export, :curly, :abstract, :primitive, :(::), :line, :<:, :>:) && return visit_type(walk, ex, path)
    head in (:function, :macro) && return visit_function(walk, ex, path, ex.args[1], 2)
    head === :(=) && is_definition(ex.args[1]) && return visit_function(walk, ex, path, ex.args[1], 2)
    head === :-> && (settle_default(walk, ex, path, 2); return visit_all(walk, ex, path, 2:2))
    head === :struct && return visit_struct(walk, ex, path)
    head === :macrocall && return visit_macrocall(walk, ex, path)
    change_expression(walk, ex, path)
    visit_all(walk, ex, path, parts_to_visit(ex))
end

"A cast `x::T` in an expression: what is cast may still be wrong."
visit_type(walk::Walk, ex::Expr, path::Vector{Int}) = ex.head === :(::) && length(ex.args) == 2 && visit_all(walk, ex, path, 1:1)

function parts_to_visit(ex::Expr)
    ex.head in (:kw, :.) && return length(ex.args) == 2 && !(ex.args[2] isa QuoteNode) ? (2:2) : ex.head === :. ? (1:1) : (2:2)
    ex.head === :call && return is_spoken(ex) ? (2:0) : called_part(ex)
    ex.head in (:(=), :+=, :-=, :*=, :/=) && return ex.args[1] isa Symbol || is_expr(ex.args[1], :tuple) ? (2:2) : (1:2)
    ex.head in (:ref, :typed_comprehension, :typed_hcat, :typed_vcat) && is_type_name(ex.args[1]) && return 2:length(ex.args)
    ex.head === :try && return [1; 3:length(ex.args)]
    ex.head === :module && return 3:3
    return 1:length(ex.args)
end

called_part(ex::Expr) = (ex.args[1] isa Expr && ex.args[1].head !== :. ? 1 : 2):length(ex.args)
is_type_name(@nospecialize(ex)) = is_expr(ex, :curly) || ex isa Symbol && isuppercase(first(String(ex)))

"An exception under construction, or a call that only speaks: its words are nobody's business."
is_spoken(ex::Expr) = ex.args[1] in (:error, :throw) || ex.args[1] isa Symbol && occursin(r"(Error|Exception)$", String(ex.args[1]))

# ---- definitions

function visit_function(walk::Walk, ex::Expr, path::Vector{Int}, @nospecialize(signature), body_at::Int)
    visit_defaults(walk, signature, [path; 1])
    length(ex.args) >= body_at || return
    block = ex.args[body_at]
    inner = [path; body_at]
    is_expr(block, :block) && length(parts_of(block.args)) == 1 && push!(walk.settled, inner)
    ex.head === :macro || only_nothing(block) || note(walk, "return nothing", inner, Expr(:block, :nothing))
    change_last(walk, block, inner)
    visit(walk, block, inner)
end

only_nothing(@nospecialize(ex)) = (rest = is_expr(ex, :block) ? parts_of(ex.args) : Any[ex]; length(rest) == 1 && rest[1] in (:nothing, nothing))

"The value of the last expression is what a function without `return` gives."
function change_last(walk::Walk, @nospecialize(block), path::Vector{Int})
    is_expr(block, :block) && length(parts_of(block.args)) > 1 || return
    last_one = parts_of(block.args)[end]
    last_one isa Expr && last_one.head in (:return, :for, :while, :if, :try) && return
    is_expr(last_one, :call) && last_one.args[1] in VALUELESS && return
    note(walk, "return nothing", path, Expr(:block, block.args..., :nothing))
end

"Default values of arguments; the rest of a signature is the prompt's."
function visit_defaults(walk::Walk, @nospecialize(signature), path::Vector{Int})
    signature isa Expr || return
    if signature.head === :kw
        settle_default(walk, signature, path, 2)
        visit(walk, signature.args[2], [path; 2])
    elseif signature.head in (:call, :parameters, :where, :(::), :tuple)
        for i in (signature.head in (:where, :(::)) ? (1:1) : 1:length(signature.args))
            visit_defaults(walk, signature.args[i], [path; i])
        end
    end
end

"Inner constructors are code; fields are not, but defaults of keyword structs are."
function visit_struct(walk::Walk, ex::Expr, path::Vector{Int})
    for (i, arg) in enumerate(ex.args[3].args)
        arg isa LineNumberNode && (walk.line = arg.line)
        is_expr(arg, :(=)) && !is_definition(arg.args[1]) ? visit(walk, arg.args[2], [path; 3; i; 2]) :
            arg isa Expr && arg.head in (:function, :(=)) && visit(walk, arg, [path; 3; i])
    end
end

function visit_macrocall(walk::Walk, ex::Expr, path::Vector{Int})
    name = ex.args[1]
    ex.args[2] isa LineNumberNode && (walk.line = ex.args[2].line)
    is_doc(name) && return visit_all(walk, ex, path, length(ex.args):length(ex.args))
    name isa Symbol && endswith(String(name), "_str") && return
    name in SPEAKING_MACROS && return name === Symbol("@assert") ? visit_all(walk, ex, path, 3:3) : nothing
    visit_all(walk, ex, path, 3:length(ex.args))
end

# ---- literals

function change_literal(walk::Walk, @nospecialize(value), path::Vector{Int})
    value isa Bool && return note(walk, "constant", path, !value)
    if value isa Integer
        note(walk, "constant", path, value + one(value))
        value > 0 && note(walk, "constant", path, value - one(value))
    elseif value isa AbstractFloat
        note(walk, "constant", path, value + one(value))
        iszero(value) || note(walk, "constant", path, zero(value))
    elseif value isa String
        note(walk, "constant", path, isempty(value) ? "x" : "")
    elseif value isa Char
        note(walk, "constant", path, value == 'x' ? 'y' : 'x')
    elseif value === :end
        note(walk, "off by one", path, Expr(:call, :-, :end, 1))
    end
end

# ---- expressions

function change_expression(walk::Walk, ex::Expr, path::Vector{Int})
    head = ex.head
    head === :call ? change_call(walk, ex, path) :
    head === :block ? change_block(walk, ex, path) :
    head in (:if, :elseif) ? change_if(walk, ex, path) :
    head === :while ? (negate(walk, ex, path, 1); leave_loop(walk, ex, path)) :
    head === :for ? leave_loop(walk, ex, path) :
    head in (:&&, :||) ? change_lazy(walk, ex, path) :
    head === :comparison ? change_chain(walk, ex, path) :
    head === :return ? change_return(walk, ex, path) :
    head === :continue ? note(walk, "early end", path, Expr(:break)) :
    head === :filter ? (negate(walk, ex, path, 1)) :
    head === :ref ? change_ref(walk, ex, path) :
    head === :. && is_expr(ex.args[2], :tuple) ? change_dot_call(walk, ex, path) :
    haskey(ASSIGNING, head) ? note(walk, "arithmetic", path, Expr(ASSIGNING[head], ex.args...)) : nothing
    return
end

opposite(@nospecialize(ex)) = is_expr(ex, :call) && ex.args[1] === :! && length(ex.args) == 2 ? ex.args[2] :
    is_expr(ex, :block) ? opposite(short_body(ex)) : Expr(:call, :!, ex)

"A comparison, a negation or a question has its opposite among the changes of calls."
function negate(walk::Walk, ex::Expr, path::Vector{Int}, at::Int)
    condition = is_expr(ex.args[at], :block) ? short_body(ex.args[at]) : ex.args[at]
    asked = is_expr(condition, :call) ? plain_name(condition.args[1]) : Symbol("")
    (asked in NEGATABLE || asked === :! || operator_of(asked) == "comparison") && return
    note(walk, "negated condition", [path; at], opposite(condition))
end

leave_loop(walk::Walk, ex::Expr, path::Vector{Int}) =
    note(walk, "early end", [path; 2], Expr(:block, ex.args[2].args..., Expr(:break)))

function change_return(walk::Walk, ex::Expr, path::Vector{Int})
    isempty(ex.args) || ex.args[1] in (nothing, :nothing) || note(walk, "return nothing", path, Expr(:return, nothing))
end

function change_if(walk::Walk, ex::Expr, path::Vector{Int})
    negate(walk, ex, path, 1)
    length(ex.args) == 3 || return
    if is_ternary(ex)
        note(walk, "dropped branch", path, ex.args[2])
        note(walk, "dropped branch", path, ex.args[3])
    elseif is_expr(ex.args[3], :elseif)
        rest = ex.args[3]
        note(walk, "dropped branch", path, Expr(ex.head, ex.args[1:2]..., rest.args[3:end]...))
    else
        note(walk, "dropped branch", path, Expr(ex.head, ex.args[1:2]...))
    end
end

is_jump(@nospecialize(ex)) = ex isa Expr && (ex.head in (:return, :break, :continue, :(=), :+=, :-=) ||
    ex.head === :call && (ex.args[1] in (:throw, :error, :rethrow) || ex.args[1] isa Symbol && endswith(String(ex.args[1]), "!")))

function change_lazy(walk::Walk, ex::Expr, path::Vector{Int})
    if is_jump(ex.args[2])
        negate(walk, ex, path, 1)
        push!(walk.settled, [path; 2])
    else
        note(walk, "logic", path, Expr(ex.head === :&& ? :|| : :&&, ex.args...))
        note(walk, "logic", path, ex.args[1])
        note(walk, "logic", path, ex.args[2])
    end
end

function change_chain(walk::Walk, ex::Expr, path::Vector{Int})
    for i in 2:2:length(ex.args), other in get(SWAPS, ex.args[i], Symbol[])
        new = copy(ex.args)
        new[i] = other
        note(walk, "comparison", path, Expr(:comparison, new...))
    end
end

"`String[]` becomes `Any[]`, unless it is only an argument: as a default that is never seen."
change_ref(walk::Walk, ex::Expr, path::Vector{Int}) =
    is_empty_vector(ex) && !(path in walk.settled) && note(walk, "element type", path, Expr(:ref, :Any))

is_empty_vector(@nospecialize(ex)) = is_expr(ex, :ref) && length(ex.args) == 1 && is_type_name(ex.args[1]) && ex.args[1] !== :Any

function settle_default(walk::Walk, ex::Expr, path::Vector{Int}, at::Int)
    value = ex.args[at]
    if is_expr(value, :block)
        place = findlast(arg -> !is_line(arg), value.args)
        place === nothing || is_empty_vector(value.args[place]) && push!(walk.settled, [path; at; place])
    else
        is_empty_vector(value) && push!(walk.settled, [path; at])
    end
end

# ---- statements

function change_block(walk::Walk, ex::Expr, path::Vector{Int})
    named = Set{Symbol}()
    alone = path in walk.settled        # the only statement of a function: without it, `nothing` is returned
    for (i, statement) in enumerate(ex.args)
        statement isa LineNumberNode && (walk.line = statement.line; continue)
        alone || is_expr(statement, :call) && push!(walk.settled, [path; i])
        alone || is_droppable(statement, named) && note(walk, "dropped statement", path, Expr(:block, ex.args[1:i-1]..., ex.args[i+1:end]...))
        statement isa Expr && statement.head === :(=) && note_targets!(named, statement.args[1])
    end
end

note_targets!(named::Set{Symbol}, @nospecialize(target)) = target isa Symbol ? push!(named, target) :
    is_expr(target, :tuple) && foreach(one -> note_targets!(named, one), target.args)

"Dropping a first assignment or a `return` only makes a crash; they are changed in other ways."
function is_droppable(@nospecialize(ex), named::Set{Symbol})
    ex isa Expr || return false
    ex.head in (:return, :function, :macro, :struct, :using, :import, :export, :local, :global, :const, :abstract, :module, :line) && return false
    ex.head === :(=) || return true
    target = ex.args[1]
    is_definition(target) && return false
    names = Set{Symbol}()
    note_targets!(names, target)
    return issubset(names, named)       # also `a[i] = x` and `a.b = x`, which name nothing
end

# ---- calls

function change_call(walk::Walk, ex::Expr, path::Vector{Int})
    f, args = ex.args[1], ex.args[2:end]
    f in (:throw, :error, :rethrow) && return change_throw(walk, ex, path)
    is_spoken(ex) && return
    name = plain_name(f)
    foreach(i -> settle_default(walk, ex, path, i), 2:length(ex.args))
    change_name(walk, ex, path, name)
    change_sign(walk, name, args, path)
    f === :(:) && return change_range(walk, ex, path)
    plain_at = [i for i in 2:length(ex.args) if !(ex.args[i] isa Expr && ex.args[i].head in (:parameters, :kw, :...))]
    swap_arguments(walk, ex, path, name, plain_at)
    drop_keywords(walk, ex, path)
    if length(plain_at) == 1 && name in FORGETTABLE
        note(walk, "dropped call", path, ex.args[plain_at[1]])
    elseif length(plain_at) == 2 && name in CONVERSIONS && is_type_name(ex.args[plain_at[1]])
        dropped = name === :convert ? ex.args[plain_at[2]] : Expr(:call, [arg for (i, arg) in enumerate(ex.args) if i != plain_at[1]]...)
        name === :parse || note(walk, "dropped conversion", path, dropped)
    end
end

plain_name(@nospecialize(f)) = f isa Symbol ? f :
    is_expr(f, :.) && length(f.args) == 2 && f.args[2] isa QuoteNode && f.args[2].value isa Symbol ? f.args[2].value : Symbol("")

function operator_of(name::Symbol)
    name in (:+, :-, :*, :/, :÷, :%, :^, ://, :div, :mod, :rem, :fld, :cld) && return "arithmetic"
    name in (:<, :<=, :>, :>=, :(==), :!=, :(===), :!==) && return "comparison"
    return "other function"
end

function change_name(walk::Walk, ex::Expr, path::Vector{Int}, name::Symbol)
    unary = length(ex.args) == 2
    bare = startswith(String(name), ".") && length(String(name)) > 1 ? Symbol(String(name)[2:end]) : name
    unary && bare in (:+, :-, :*, :!, :/) && return
    dotted = bare === name ? "" : "."
    length(ex.args) > 3 && bare in (:+, :*) && return change_one_of_many(walk, ex, path, bare)
    for other in get(SWAPS, bare, Symbol[])
        ex.args[1] isa Symbol && note(walk, operator_of(bare), path, Expr(:call, Symbol(dotted, other), ex.args[2:end]...))
    end
    bare === name && name in NEGATABLE && !(path in walk.settled) && note(walk, "negated condition", path, Expr(:call, :!, ex))
end

"`a + b + c` is one call; it becomes `a - b + c` and `a + b - c`."
function change_one_of_many(walk::Walk, ex::Expr, path::Vector{Int}, name::Symbol)
    for k in 3:length(ex.args), other in SWAPS[name]
        left = k == 3 ? ex.args[2] : Expr(:call, ex.args[1:k-1]...)
        changed = Expr(:call, other, left, ex.args[k])
        note(walk, "arithmetic", path, k == length(ex.args) ? changed : Expr(:call, name, changed, ex.args[k+1:end]...))
    end
end

"`!x` and `-x` become `x`."
function change_sign(walk::Walk, name::Symbol, args, path::Vector{Int})
    length(args) == 1 && name in (:!, :-) || return
    push!(walk.settled, [path; 2])
    note(walk, name === :! ? "negated condition" : "arithmetic", path, args[1])
end

function change_range(walk::Walk, ex::Expr, path::Vector{Int})
    start, stop = ex.args[2], ex.args[end]
    start isa Integer || note(walk, "off by one", [path; 2], Expr(:call, :+, start, 1))
    stop isa Integer || stop === :end || note(walk, "off by one", [path; length(ex.args)], Expr(:call, :-, stop, 1))
    stop isa Integer || note(walk, "off by one", [path; length(ex.args)], Expr(:call, :+, stop, 1))
end

function swap_arguments(walk::Walk, ex::Expr, path::Vector{Int}, name::Symbol, plain_at)
    Base.isoperator(name) && name !== :(=>) && return
    name in COMMUTATIVE && return
    endswith(String(name), "!") && return
    for k in 1:length(plain_at)-1
        i, j = plain_at[k], plain_at[k+1]
        same_code(ex.args[i], ex.args[j]) && continue
        (is_type_name(ex.args[i]) || is_expr(ex.args[i], :->) || ex.args[i] === :io) && continue     # those only crash
        new = copy(ex.args)
        new[i], new[j] = new[j], new[i]
        note(walk, "swapped arguments", path, Expr(:call, new...))
        k == 2 && return
    end
end

function drop_keywords(walk::Walk, ex::Expr, path::Vector{Int})
    for (i, arg) in enumerate(ex.args)
        if is_expr(arg, :kw)
            note(walk, "dropped keyword", path, Expr(:call, ex.args[1:i-1]..., ex.args[i+1:end]...))
        elseif is_expr(arg, :parameters)
            for j in 1:length(arg.args)
                fewer = Any[arg.args[1:j-1]; arg.args[j+1:end]]
                left = isempty(fewer) ? Any[] : Any[Expr(:parameters, fewer...)]
                note(walk, "dropped keyword", path, Expr(:call, ex.args[1:i-1]..., left..., ex.args[i+1:end]...))
            end
        end
    end
end

function change_dot_call(walk::Walk, ex::Expr, path::Vector{Int})
    f, args = ex.args[1], ex.args[2].args
    f isa Symbol || return
    for other in get(SWAPS, f, Symbol[])
        note(walk, "other function", path, Expr(:., other, ex.args[2]))
    end
    length(args) == 1 && f in FORGETTABLE && note(walk, "dropped call", path, args[1])
end

function change_throw(walk::Walk, ex::Expr, path::Vector{Int})
    path in walk.settled || note(walk, "dropped exception", path, :nothing)
    ex.args[1] === :rethrow && return
    type = ex.args[1] === :error ? :ErrorException : is_expr(ex.args[2], :call) ? plain_name(ex.args[2].args[1]) : :unknown
    other = type === :ErrorException ? :ArgumentError : :ErrorException
    note(walk, "other exception", path, Expr(:call, :throw, Expr(:call, other, "")))
end
