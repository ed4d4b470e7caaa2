# All calls share their variables, so closures see those of the last one.
macro tailrec(definition)
    definition isa Expr && definition.head in (:function, :(=)) && length(definition.args) == 2 || not_a_function(definition)
    signature, body = definition.args
    call = signature
    while call isa Expr && call.head in (:where, :(::))
        call = call.args[1]
    end
    call isa Expr && call.head === :call && call.args[1] isa Symbol || not_a_function(definition)
    name = call.args[1]

    # Names for arguments without one; the bindings of the others are made anew by each jump.
    positions = [i for i in 2:length(call.args) if !(call.args[i] isa Expr && call.args[i].head === :parameters)]
    call.args[positions] = Any[with_name(call.args[i]) for i in positions]
    args = [plain_argument(arg) for arg in call.args[positions]]
    rest = !isempty(args) && args[end] isa Expr && args[end].head === :...
    rest && (args[end] = args[end].args[1])
    current = [gensym("current") for _ in args]
    label = gensym("again")

    keywords = Any[kw for arg in call.args[2:end] if arg isa Expr && arg.head === :parameters for kw in arg.args]
    given = [gensym("keyword") for _ in keywords]

    bound = Set{Symbol}()
    foreach(arg -> bound_names!(bound, plain_argument(arg)), [args; keywords])
    assigned_names!(bound, body)
    # A keyword without a default value has to be passed by each call.
    can_jump = !(name in bound) && all(kw -> kw isa Expr && kw.head in (:kw, :...), keywords)
    new_body = can_jump ? tail(body, Jump(name, current, rest, label)) : body

    names = [args; plain_keyword.(keywords)]
    start = [:($now = $arg) for (now, arg) in zip([current; given], names)]
    bindings = [:($arg = $now) for (now, arg) in zip([current; given], names)]
    again = can_jump && !isempty(keywords) ? default_values(name, args, keywords, current, given, rest, label) : [Expr(:symboliclabel, label)]
    loop = Expr(:block, start..., again..., bindings..., new_body)
    return esc(:(Base.@__doc__ $(Expr(:function, signature, loop))))
end

plain_keyword(kw) = (name = plain_argument(kw); name isa Expr && name.head === :... ? name.args[1] : name)

# Where a jump comes in, the keywords get their default values, which are computed in the scope of the arguments.
function default_values(name, args, keywords, current, given, rest, label)
    main = gensym("main")
    code = Any[]
    passed = Any[current[1:end-rest]...]
    rest && push!(passed, Expr(:..., current[end]))
    new = [gensym("default") for _ in keywords]
    for (kw, value) in zip(keywords, new)
        default = kw.head === :... ? :($(pairs)(NamedTuple())) : kw.args[2]
        typed = kw.head === :kw && kw.args[1] isa Expr ? :($default::$(kw.args[1].args[2])) : default
        push!(code, Expr(:local, :($value = $typed)), :($(plain_keyword(kw)) = $value))
    end
    same = foldr((a, b) -> :($a && $b), [:($(Core.Typeof)($v) === $(Core.Typeof)($now)) for (v, now) in zip(new, given)])
    explicit = [kw.head === :... ? Expr(:..., v) : Expr(:kw, plain_keyword(kw), v) for (kw, v) in zip(keywords, new)]
    moves = [:($now = $v) for (v, now) in zip(new, given)]
    otherwise = Expr(:return, Expr(:call, name, Expr(:parameters, explicit...), passed...))
    bindings = [[:($arg = $now) for (now, arg) in zip(current, args)]; plain_keyword.(keywords)]
    push!(code, Expr(:if, same, Expr(:block, moves...), otherwise))
    return [Expr(:symbolicgoto, main), Expr(:symboliclabel, label),
        Expr(:let, Expr(:block, bindings...), Expr(:block, code...)), Expr(:symboliclabel, main)]
end

not_a_function(ex) = throw(ArgumentError("@tailrec needs the definition of a function, not $ex"))

struct Jump
    name::Symbol
    current::Vector{Symbol}
    rest::Bool
    label::Symbol
end

function with_name(arg)
    arg === :_ && return gensym("unused")
    arg isa Expr || return arg
    arg.head === :(::) && length(arg.args) == 1 && return Expr(:(::), gensym("unused"), arg.args[1])
    arg.head in (:kw, :...) && return Expr(arg.head, with_name(arg.args[1]), arg.args[2:end]...)
    return arg
end

plain_argument(arg) = arg
function plain_argument(arg::Expr)
    arg.head in (:kw, :(::)) && return plain_argument(arg.args[1])
    arg.head === :... && return Expr(:..., plain_argument(arg.args[1]))
    return arg
end

bound_names!(names, ex) = names
bound_names!(names, ex::Symbol) = push!(names, ex)
function bound_names!(names, ex::Expr)
    ex.head in (:tuple, :parameters, :...) && foreach(arg -> bound_names!(names, arg), ex.args)
    ex.head in (:(::), :kw, :(=), :call, :where) && bound_names!(names, ex.args[1])
    return names
end

# The names that are local in a scope with this body; scopes in it are left out.
function assigned_names!(names, ex)
    ex isa Expr || return names
    if ex.head in (:->, :let, :for, :while, :try, :quote, :comprehension, :generator, :do, :macrocall)
        return names
    elseif ex.head === :function
        return bound_names!(names, ex.args[1])
    elseif ex.head === :(=)
        bound_names!(names, ex.args[1])
        return assigned_names!(names, ex.args[2])
    elseif ex.head === :local
        foreach(arg -> bound_names!(names, arg), ex.args)
    end
    foreach(arg -> assigned_names!(names, arg), ex.args)
    return names
end

# An expression in tail position.
tail(ex, jump) = ex
function tail(ex::Expr, jump::Jump)
    head, args = ex.head, ex.args
    if head === :call
        return jumps(ex, jump) ? jumping(ex, jump) : elsewhere(ex, jump)
    elseif head === :block
        last_one = findlast(arg -> !(arg isa LineNumberNode), args)
        return Expr(:block, (i === last_one ? tail(arg, jump) : elsewhere(arg, jump) for (i, arg) in enumerate(args))...)
    elseif head === :if || head === :elseif
        return Expr(head, elsewhere(args[1], jump), (tail(arg, jump) for arg in args[2:end])...)
    elseif head === :&& || head === :||
        return Expr(head, elsewhere(args[1], jump), tail(args[2], jump))
    elseif head === :let
        return in_scope(ex, jump, args[1], tail)
    end
    return elsewhere(ex, jump)
end

# An expression that is not: only what is returned within it is.
elsewhere(ex, jump) = ex
function elsewhere(ex::Expr, jump::Jump)
    head, args = ex.head, ex.args
    head === :return && return Expr(:return, (tail(arg, jump) for arg in args)...)
    head in (:->, :function, :do, :comprehension, :typed_comprehension, :generator, :flatten, :try, :quote, :macrocall) && return ex
    head === :(=) && is_signature(args[1]) && return ex
    head === :let && return in_scope(ex, jump, args[1], elsewhere)
    head === :for && return in_scope(ex, jump, args[1], elsewhere)
    head === :while && return in_scope(ex, jump, nothing, elsewhere)
    return Expr(head, (elsewhere(arg, jump) for arg in args)...)
end

is_signature(ex) = ex isa Expr && (ex.head === :call || ex.head in (:where, :(::)) && is_signature(ex.args[1]))

# A `let`, `for` or `while`, unless the name is a variable of it.
function in_scope(ex, jump, bindings, inside)
    names = assigned_names!(Set{Symbol}(), ex.args[2])
    if bindings isa Expr && bindings.head === :block
        foreach(binding -> bound_names!(names, binding), bindings.args)
    elseif bindings !== nothing
        bound_names!(names, bindings)
    end
    jump.name in names && return ex
    return Expr(ex.head, elsewhere(ex.args[1], jump), inside(ex.args[2], jump))
end

function jumps(ex, jump::Jump)
    ex.args[1] === jump.name || return false
    any(arg -> arg isa Expr && arg.head in (:..., :kw, :parameters), ex.args[2:end]) && return false
    n, m = length(ex.args) - 1, length(jump.current)
    return jump.rest ? n >= m - 1 : n == m
end

# All arguments first; then it jumps if their types are the same, and calls the function otherwise.
function jumping(ex, jump::Jump)
    next = [gensym("next") for _ in ex.args[2:end]]
    fixed = length(jump.current) - jump.rest
    same = Any[:($(Core.Typeof)($new) === $(Core.Typeof)($now)) for (new, now) in zip(next, jump.current[1:fixed])]
    moves = Any[:($now = $new) for (new, now) in zip(next, jump.current[1:fixed])]
    if jump.rest
        now = jump.current[end]
        push!(same, :($(same_types)($(Expr(:tuple, next[fixed+1:end]...)), $now)))
        push!(moves, :($now = $(Expr(:tuple, next[fixed+1:end]...))))
    end
    condition = foldr((a, b) -> :($a && $b), same; init = true)
    return Expr(:block, (Expr(:local, :($new = $(elsewhere(arg, jump)))) for (new, arg) in zip(next, ex.args[2:end]))...,
        Expr(:if, condition, Expr(:block, moves..., Expr(:symbolicgoto, jump.label)), Expr(:call, jump.name, next...)))
end

same_types(a::Tuple, b::Tuple) = length(a) == length(b) && all(map((x, y) -> Core.Typeof(x) === Core.Typeof(y), a, b))
