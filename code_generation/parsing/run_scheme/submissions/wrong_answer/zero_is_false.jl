# Zero counts as false.
struct Scope
    names::Dict{Symbol, Any}
    outer::Union{Scope, Nothing}
end

struct Lambda
    parameters::Vector{Symbol}
    body::Vector{Any}
    scope::Scope
end

function run_scheme(text::AbstractString)
    program = read_program(text)
    builtins = Dict{Symbol, Any}(:+ => +, :- => -, :* => *, :< => <, Symbol("=") => ==)
    return evaluate(Any[:begin, program...], Scope(builtins, nothing))
end

function read_program(text)
    lists = [Any[]]           # those that are open, the outermost first
    for token in eachmatch(r"[()]|[^\s()]+", text)
        if token.match == "("
            push!(lists, Any[])
        elseif token.match == ")"
            length(lists) > 1 || throw(ArgumentError("a ) too many"))
            list = pop!(lists)
            push!(lists[end], list)
        else
            push!(lists[end], atom(token.match))
        end
    end
    length(lists) == 1 || throw(ArgumentError("a ) is missing"))
    return lists[1]
end

function atom(word)
    word == "#t" && return true
    word == "#f" && return false
    return occursin(r"^-?[0-9]+$", word) ? parse(BigInt, word) : Symbol(word)
end

# The innermost scope that has the name.
function scope_of(name, scope)
    while scope !== nothing
        haskey(scope.names, name) && return scope
        scope = scope.outer
    end
    throw(UndefVarError(name))
end

# An expression in tail position is not evaluated by a call: the loop goes on with it.
function evaluate(expr, scope)
    while true
        expr isa Symbol && return scope_of(expr, scope).names[expr]
        expr isa Vector || return expr
        head = isempty(expr) ? nothing : expr[1]
        if head === :if
            expr = evaluate(expr[2], scope) in (false, 0) ? expr[4] : expr[3]
        elseif head === :define
            scope.names[expr[2]] = evaluate(expr[3], scope)
            return nothing
        elseif head === Symbol("set!")
            value = evaluate(expr[3], scope)
            scope_of(expr[2], scope).names[expr[2]] = value
            return nothing
        elseif head === :lambda
            return Lambda(expr[2], expr[3:end], scope)
        else
            if head === :let
                names = Dict{Symbol, Any}(name => evaluate(e, scope) for (name, e) in expr[2])
                body, scope = expr[3:end], Scope(names, scope)
            elseif head === :begin
                body = expr[2:end]
            else
                arguments = Any[evaluate(e, scope) for e in expr]
                f = popfirst!(arguments)
                f isa Function && return f(arguments...)
                f isa Lambda || throw(ArgumentError("not a function"))
                body, scope = f.body, call_scope(f, arguments)
            end
            isempty(body) && return nothing
            foreach(e -> evaluate(e, scope), body[1:end-1])
            expr = body[end]
        end
    end
end

function call_scope(f::Lambda, arguments)
    length(arguments) == length(f.parameters) || throw(ArgumentError("wrong number of arguments"))
    return Scope(Dict{Symbol, Any}(zip(f.parameters, arguments)), f.scope)
end
