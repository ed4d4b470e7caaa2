# Compiles to closures, with a trampoline for calls in tail position.
struct Env
    vars::Dict{Symbol, Any}
    up::Any
end
struct Fun
    params::Vector{Symbol}
    code::Any
    env::Env
end
struct Tail
    f::Any
    args::Vector{Any}
end
find(env, s) = env === nothing ? throw(UndefVarError(s)) : haskey(env.vars, s) ? env : find(env.up, s)
force(x) = x
function force(t::Tail)
    x = t
    while x isa Tail
        f, args = x.f, x.args
        if f isa Fun
            length(args) == length(f.params) || throw(ArgumentError("arity"))
            x = f.code(Env(Dict{Symbol, Any}(zip(f.params, args)), f.env))
        elseif f isa Function
            return f(args...)
        else
            throw(ArgumentError("not a function"))
        end
    end
    return x
end
function compile_body(es)
    cs = map(compile, es)
    return function (env)
        result = nothing
        for (i, c) in enumerate(cs)
            result = c(env)
            i < length(cs) && (result = force(result))
        end
        return result
    end
end
compile(e) = e isa Symbol ? (env -> find(env, e).vars[e]) : (env -> e)
function compile(e::Vector)
    op = isempty(e) ? nothing : e[1]
    if op == :if
        c, a, b = map(compile, e[2:4])
        return env -> force(c(env)) !== false ? a(env) : b(env)
    elseif op == :define
        c, name = compile(e[3]), e[2]
        return env -> (env.vars[name] = force(c(env)); nothing)
    elseif op == Symbol("set!")
        c, name = compile(e[3]), e[2]
        return env -> (v = force(c(env)); find(env, name).vars[name] = v; nothing)
    elseif op == :lambda
        body, params = compile_body(e[3:end]), Symbol[e[2]...]
        return env -> Fun(params, body, env)
    elseif op == :let
        names, inits, body = [b[1] for b in e[2]], [compile(b[2]) for b in e[2]], compile_body(e[3:end])
        return env -> body(Env(Dict{Symbol, Any}(n => force(i(env)) for (n, i) in zip(names, inits)), env))
    elseif op == :begin
        return compile_body(e[2:end])
    end
    parts = map(compile, e)
    return function (env)
        values = Any[force(p(env)) for p in parts]
        return Tail(values[1], values[2:end])
    end
end
function tokens(text)
    text = replace(replace(text, "(" => " ( "), ")" => " ) ")
    return split(text)
end
function read_expr(ts, i)
    t = ts[i]
    t == ")" && throw(ArgumentError("unexpected )"))
    if t == "("
        list = Any[]
        i += 1
        while true
            i > length(ts) && throw(ArgumentError("missing )"))
            ts[i] == ")" && return list, i + 1
            item, i = read_expr(ts, i)
            push!(list, item)
        end
    end
    t == "#t" && return true, i + 1
    t == "#f" && return false, i + 1
    n = match(r"^-?[0-9]+$", t) === nothing ? nothing : parse(BigInt, t)
    return n === nothing ? Symbol(t) : n, i + 1
end
function run_scheme(text::AbstractString)
    ts = tokens(text)
    program, i = Any[], 1
    while i <= length(ts)
        e, i = read_expr(ts, i)
        push!(program, e)
    end
    env = Env(Dict{Symbol, Any}(:+ => +, :- => -, :* => *, :< => <, Symbol("=") => ==), nothing)
    return force(compile_body(program)(env))
end
