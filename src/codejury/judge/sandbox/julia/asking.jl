# The candidate's side of a split test: it runs its part, and at each check sends values and waits. What is sent
# says what came out, never whether it is right.
#
# Frames:  told    the number of a check, its values         turn    the number of a loop: what are the values now?
#          ask     the same, where the referee may have to ask back: it waits
#          need    the number of a function in a check, and what it is applied to: the rest of its arguments, please
#          value   what a call gave                          raised  the exception a call threw: type, message
#          threw   the part ended in an exception            ended   it came to its end
# Orders:  go; stop; call, with a function and arguments; hole, with a number; turn, with values; over

struct Stopped <: Exception end        # the referee has decided; the rest of the test is not run
struct NothingThrown end

struct Lazy
    get::Any
end

struct Caught
    value::Any
end

"Called from test code, that is, in the newest world; sends and waits in the judge's."
struct Asker
    channel::Channel
    orders::Cint
    scope::Scope
    held::Dict{Int,Any}            # values that cannot travel, by the number of their handle
    numbers::IdDict{Any,Int}
    uses::Base.RefValue{Int}       # how often a handle was sent
end

Asker(channel::Channel, orders::Cint, scope::Scope) = Asker(channel, orders, scope, Dict{Int,Any}(), IdDict{Any,Int}(), Ref(0))

(asker::Asker)(::Val{:check}, number::Int, @nospecialize(values...)) =
    in_world(asker.scope.world, ask_check, asker, number, Any[values...])
(asker::Asker)(::Val{:apply}, number::Int, @nospecialize(values...)) =
    in_world(asker.scope.world, ask_apply, asker, number, Any[values...])
(asker::Asker)(::Val{:turn}, number::Int) = in_world(asker.scope.world, ask_turn, asker, number)

"The next order of the supervisor's; the process ends where there is none."
function next_order(fd::Cint)
    size = zeros(UInt8, 4)
    read_exactly!(fd, size)
    bytes = Vector{UInt8}(undef, get32(size, 1))
    read_exactly!(fd, bytes)
    return decode(bytes)
end

function ask_check(asker::Asker, number::Int, values::Vector{Any})
    sent = Any[]
    foreach(value -> append!(sent, as_sent(value)), values)
    held = asker.uses[]
    message = packed(asker, sent)
    waits = asker.uses[] != held || any(value -> value isa Lazy, values)
    waits || return send_later(asker.channel, ["told", string(number), message])
    send(asker.channel, ["ask", string(number), message])
    while true
        order = next_order(asker.orders)
        order[1] == "go" && return nothing
        if order[1] == "call"
            send_result(asker, () -> make_call(asker, unpacked(asker, order[2])))
        elseif order[1] == "hole"
            send_result(asker, () -> Base.invokelatest(values[parse(Int, order[2])].get))
        else
            throw(Stopped())
        end
    end
end

"""
A function that the referee knows, applied to these values: it does that itself, with what they are now, unless one
of them cannot travel. Then the function is applied here.
"""
function ask_apply(asker::Asker, number::Int, values::Vector{Any})
    message = encode_all(values)
    message === nothing || return Parts(message)
    send(asker.channel, ["need", string(number), packed(asker, values)])
    order = next_order(asker.orders)
    order[1] == "call" || throw(Stopped())
    return make_call(asker, unpacked(asker, order[2]))
end

# Of an exception its type and its message are told as well, where it cannot travel itself.
function as_sent(@nospecialize(value))
    value isa Lazy && return Any[nothing]
    value isa NothingThrown && return Any[nothing, nothing]
    value isa Caught || return Any[value]
    return Any[(true, known_type(value.value), type_name(typeof(value.value)), safe_message(value.value)), value.value]
end

# An exception may lack any of its fields.
safe_message(@nospecialize(err)) = try clip(message_of(err), 10_000) catch; "" end

"The message for these values, or `nothing` if one of them cannot travel."
function encode_all(values::Vector{Any})
    try
        return String(encode_values(values, _ -> throw(Unencodable())))
    catch err
        err isa Unencodable || rethrow()
        return nothing
    end
end

packed(asker::Asker, values::Vector{Any}) = String(encode_values(values, value -> hold!(asker, value)))
unpacked(asker::Asker, text::String) = decode_values(Vector{UInt8}(codeunits(text)), asker.held)

function hold!(asker::Asker, @nospecialize(value))
    asker.uses[] += 1
    id = known_number(asker, value)
    if id <= 0
        asker.held[length(asker.held)+1] = value
        id == 0 && (asker.numbers[value] = length(asker.held))
        id = length(asker.held)
    end
    return Handle(id, type_name(typeof(value)), known_type(value), known_type(value, true))
end

# A very deep immutable value has no identity that Julia could find out: -1.
function known_number(asker::Asker, @nospecialize(value))
    try
        return get(asker.numbers, value, 0)
    catch err
        err isa StackOverflowError || rethrow()
        return -1
    end
end

"""
The nearest supertype of a value's type that the referee knows too; with `packages`, if it has loaded the same.
`Complex{Own}` it knows as `Complex`.
"""
function known_type(@nospecialize(value), packages::Bool = false)
    T = typeof(value)
    while T !== Any
        for known in (T, T.name.wrapper)
            attempt(() -> put_type!(Encoder(false, packages), known, 0)) === nothing && return known
        end
        T = supertype(T)
    end
    return Any
end

function send_result(asker::Asker, make)
    value = try
        make()
    catch err
        err isa BadMessage && rethrow()
        type, message = describe(err)
        return send(asker.channel, ["raised", type, message])
    end
    send(asker.channel, ["value", packed(asker, Any[value])])
end

"A call that only this side can make: its function, names of keywords, then their values and the arguments."
function make_call(asker::Asker, parts::Vector{Any})
    name, keys = parts[1], parts[2]
    keywords = Any[(keys[i], parts[2+i]) for i in 1:length(keys)]
    arguments = parts[3+length(keys):end]
    name isa Symbol && name in COMPARISONS && length(arguments) == 2 &&
        return compare(asker.scope, comparison(name), arguments[1], arguments[2], keywords)
    f = name isa Union{Symbol,Expr} ? Core.eval(asker.scope.home, name) : name
    return isempty(keywords) ? Base.invokelatest(f, arguments...) : Base.invokelatest(f, arguments...; keywords...)
end

function ask_turn(asker::Asker, number::Int)
    send(asker.channel, ["turn", string(number)])
    order = next_order(asker.orders)
    order[1] == "over" && return nothing
    order[1] == "turn" || throw(Stopped())
    return unpacked(asker, order[2])
end

"The candidate's part with the means to ask in the places that are marked for it."
function install(asker::Asker, @nospecialize(ex))
    ex isa Expr || return ex
    ex.head === :inert && return ex
    parts = Any[install(asker, arg) for arg in ex.args]
    ex.head === :codejury_check && return Expr(:call, asker, Val(:check), parts...)
    ex.head === :codejury_apply && return Expr(:call, asker, Val(:apply), parts...)
    ex.head === :codejury_lazy && return Expr(:call, Lazy, Expr(:->, Expr(:tuple), Expr(:block, parts...)))
    ex.head === :codejury_caught && return install_catch(parts[1])
    ex.head === :codejury_turn && return install_turn(asker, parts)
    return Expr(ex.head, parts...)
end

function install_catch(@nospecialize(ex))
    err = gensym(:err)
    return Expr(:try, Expr(:block, ex, NothingThrown()), err, Expr(:block, Expr(:call, Caught, err)))
end

function install_turn(asker::Asker, parts::Vector{Any})
    values = gensym(:values)
    names = parts[2:end]
    return Expr(:block, Expr(:local, values, names...), Expr(:(=), values, Expr(:call, asker, Val(:turn), parts[1])),
        Expr(:||, Expr(:call, !==, values, nothing), Expr(:break)),
        Any[Expr(:(=), names[i], Expr(:ref, values, i)) for i in 1:length(names)]...)
end

"""
Run the candidate's part of a unit test: its statements with their lines, and its teardown. The names that the test's
own functions use are added to `helpers`.
"""
function run_split(channel::Channel, orders::Cint, scope::Scope, taken::Set{Symbol}, helpers::Vector{Symbol}, number::Int, payload::String)
    seed(number)
    started = time_ns()
    asker = Asker(channel, orders, scope)
    code, teardown = decode_values(Vector{UInt8}(codeunits(payload)), Dict{Int,Any}())
    parts = Parsed[as_parsed(code), as_parsed(teardown)]
    LOOKING_UP_SETTLES[] && settle_names(scope, parts)
    foreach(statement -> collect_helpers!(helpers, statement.code), parts[1].statements)
    meanings = find_meanings(scope, taken, parts)
    err, line = run_asking(asker, with_meanings(parts[1], meanings))
    after, _ = run_asking(asker, with_meanings(parts[2], meanings))
    err === nothing && after !== nothing && (err = after; line = 0)
    flush_streams()
    (err === nothing || err.value isa Stopped) && return send(channel, ["ended", seconds_since(started)])
    send(channel, ["threw"; failure_fields(err.value, line, started)[2:end]])
end

function collect_helpers!(found::Vector{Symbol}, @nospecialize(ex))
    ex isa Expr || return
    is_function(ex) ? collect_names!(found, ex) : foreach(arg -> collect_helpers!(found, arg), ex.args)
end

as_parsed(@nospecialize(lines)) = Parsed(Statement[Statement(line, code) for (line, code) in lines], "", 0)

function run_asking(asker::Asker, parsed::Parsed)
    for statement in parsed.statements
        err = attempt(() -> Core.eval(asker.scope.home, install(asker, statement.code)))
        err === nothing || return err, statement.line
    end
    return nothing, 0
end
