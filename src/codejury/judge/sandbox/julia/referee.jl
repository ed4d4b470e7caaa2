# The referee: a process that never holds a line of any candidate. It has the tests, takes them apart, gives the
# candidate's part away one test at a time, and decides with Julia's own methods about the values that come back.
#
#   control socket  <- case: name, imports, setup, teardown, unit tests     -> case: per test why it is not split, or "",
#                                                                              the candidate's part, and "1" if it
#                                                                              holds what is expected
#                   <- test: index, number, "1" if it may be told to the     -> one verdict, or unsplit, or untold, for each
#                      candidate's process what the test holds                 of these
#                   <- what the candidate says (asking.jl)                  -> where it waits: an order for it
#                   <- abort: it will say no more                           -> aborted
#
# What the candidate says after the verdict about a test is passed over.
# A verdict: ending, error type, message, line, who decided (`assisted`: the referee, about what a function of the test's
# made by comparisons in the candidate's process). Unsplit: the test needs the candidate's process as a whole. Untold: a
# method of the candidate's would have to be told what is expected, and later tests rely on it not knowing.

struct Case
    home::Module
    tests::Vector{Union{SplitTest,String}}
    parts::Vector{String}      # the candidate's, as they are sent
end

mutable struct Session
    control::Cint
    holes::Vector{Any}
    by_candidate::Bool       # a method of the candidate's took part in a decision
    helped::Bool             # its process compared something for a value that was decided about here
    changed::Bool            # it sent another value for an input than the one that it was given
    may_tell::Bool           # its process may learn what the test holds
    applied::Set{Int}        # nodes of this check that its process was ordered to apply
    made::Dict{Int,Any}      # values of such nodes that the referee made itself, of constants that cannot travel
    fetched::IdDict{Any,Nothing}    # what came alone, in a message of its own
    home::Module
    waits::Bool              # the candidate waits for an answer to its last check
    aborted::Bool            # the candidate will say no more, also where the test's own `catch` took the exception
end

# Test code calls the functions below by themselves; there is one test at a time.
const SESSION = Ref{Any}(nothing)

"The check is made of what the candidate's process compared by itself: its value is no evidence."
decided_in_part() = ((SESSION[]::Session).by_candidate = true)

"A helper of the test's own compared something there on its way to these values."
function helped_in_part(numbers::Int...)
    session = SESSION[]::Session
    session.helped = true
    any(number -> is_verdict(session.holes[number]), numbers) && (session.by_candidate = true)
end

# What says no more than that something is so: `true`, or that no faults were found.
is_verdict(x::Union{Bool,Nothing,Missing}) = true
is_verdict(x::Number) = iszero(x)
is_verdict(x::AbstractString) = isempty(x)
is_verdict(x::Union{Tuple,AbstractDict,AbstractSet}) = all(is_verdict, x)
is_verdict(x::AbstractArray) = all(i -> !isassigned(x, i) || is_verdict(x[i]), eachindex(x))
is_verdict(@nospecialize(x)) = false

"The candidate's part ended in an exception, or a call there did."
struct Raised <: Exception
    type::String
    message::String
    line::Int
end

struct Aborted <: Exception end

"The referee met a value in a place where it cannot do without the candidate."
struct Unsplit <: Exception end

"A method of the candidate's would have to be told what the test holds."
struct Untold <: Exception end

const MOST_CASES = 100
const MOST_MEMORY_MB = 2048

function referee(settings::Settings)
    control = settings.control
    given = settings.isolation
    given.namespaces || set_dumpable(false)      # candidates could name this process
    lock_down(Isolation(false, given.filter, given.rules, given.scratch, given.tmp_mb), statm_kb("/proc/self/statm", 1) ÷ 1024 + MOST_MEMORY_MB)
    cases = Dict{Vector{String},Case}()
    known = nothing
    reply(control, ["ready", string(VERSION), string(statm_kb("/proc/self/statm", 2)), "1"])
    while true
        items = next_order(control)
        if items[1] == "case"
            length(cases) > MOST_CASES && empty!(cases)
            known = get!(() -> prepare_case(items), cases, items)
            reply(control, ["case"; reduce(vcat, Vector{String}[test isa String ? [test, "", "1"] : ["", part, test.reveals ? "1" : "0"] for (test, part) in zip(known.tests, known.parts)], init = String[])])
        elseif items[1] == "test"
            # Latest: what a test's setup defines is newer than this loop.
            reply(control, Base.invokelatest(referee_test, control, known, parse(Int, items[2]), parse(Int, items[3]), items[4] == "1"))
        elseif items[1] == "abort"
            reply(control, ["aborted"])       # it crossed the verdict
        end
    end
end

function prepare_case(items::Vector{String})
    name, imports, around, tests = Symbol(items[2]), decode(items[3]), parse_code.(items[4:5]), items[6:end]
    home = fresh_module()
    load_imports(home, imports)
    codes = parse_code.(tests)
    shared = shared_names(codes)
    judged = Set{Symbol}()     # shared names that hold what the candidate's process compared
    prepared = Any[prepare_test(home, name, shared, around[1], code, around[2], judged) for code in codes]
    return Case(home, Union{SplitTest,String}[first(one) for one in prepared], String[last(one) for one in prepared])
end

function prepare_test(home::Module, name::Symbol, shared::Set{Symbol}, setup::Parsed, code::Parsed, teardown::Parsed, judged = Set{Symbol}())
    try
        test = split_test(home, name, shared, setup, code, teardown, judged)
        return test, candidates_part(test)
    catch err
        union!(judged, intersect(shared, bound_in(code)))
        err isa Whole && return err.reason, ""
        err isa Unencodable && return "code that cannot travel", ""
        # A fault of ours costs the other tests nothing.
        return string("taking it apart failed: ", describe(err)...), ""
    end
end

candidates_part(test::SplitTest) = String(encode_values(Any[as_tuples(test.theirs), as_tuples(test.teardown)], _ -> throw(Unencodable()), true))
as_tuples(statements::Vector{Statement}) = Any[(st.line, st.code) for st in statements]

"Decide one test; the verdict."
function referee_test(control::Cint, case::Case, index::Int, number::Int, may_tell::Bool)
    session = SESSION[] = Session(control, Any[], false, false, false, may_tell, Set{Int}(), Dict{Int,Any}(), IdDict{Any,Nothing}(), case.home, false, false)
    test = case.tests[index+1]::SplitTest
    seed(number)
    line = 0
    try
        for statement in test.ours
            line = statement.line
            Core.eval(case.home, statement.code)
        end
        line = 0
        await_end(session)
    catch err
        return session.aborted ? ["aborted"] : verdict(session, err, line)
    end
    session.aborted && return ["aborted"]
    return ["verdict", "passed", "", "", "0", decided_by(session)]
end

decided_by(session::Session) = session.by_candidate ? "candidate" : session.helped ? "assisted" : "referee"

function verdict(session::Session, @nospecialize(err), line::Int)
    err isa LoadError && (err = err.error)
    # Its own process decided, and against it: see `compare`.
    err isa Raised && return ["verdict", err.type == "TestFailed" ? "failed" : "errored", err.type, err.message, string(err.line == 0 ? line : err.line), decided_by(session)]
    err isa Untold && return ["untold"]
    needs_candidate(err) && return ["unsplit"]
    type, message = describe(err)
    return ["verdict", err isa TestFailed ? "failed" : "errored", type, message, string(line), decided_by(session)]
end

# A name that the referee does not know after all, or a handle where only a value will do.
needs_candidate(@nospecialize(err)) = err isa Unsplit || err isa UndefVarError || (err isa TypeError && err.got isa Handle) ||
    (err isa MethodError && (err.f isa Handle || any(arg -> arg isa Handle, err.args)))

# ---- the conversation

"What the candidate says next."
function hear(session::Session)
    session.aborted && throw(Aborted())
    items = next_order(session.control)
    items[1] == "abort" && (session.aborted = true; throw(Aborted()))
    items[1] == "raised" && length(items) == 3 && throw(Raised(clip(items[2], 80), clip(items[3]), 0))
    items[1] == "threw" && length(items) == 5 && throw(Raised(clip(items[2], 80), clip(items[3]), something(tryparse(Int, items[4]), 0)))
    return items
end

foreign(what::String) = TestFailed(string("the process of the candidate does not follow the test: ", what))

function await_check(number::Int, @nospecialize(trees...))
    session = SESSION[]::Session
    empty!(session.applied)
    empty!(session.made)
    session.changed = false
    items = hear(session)
    while items[1] == "need" && length(items) == 3
        order_call(session, find_node(trees, something(tryparse(Int, items[2]), 0)), values_in(items[3]))
        items = hear(session)
    end
    items[1] in ("told", "ask") && length(items) == 3 && items[2] == string(number) || throw(foreign("check $number was not reached"))
    session.waits = items[1] == "ask"
    values = values_in(items[3])
    length(values) >= length(trees) || throw(foreign("a value was not sent"))
    session.holes = Any[i > length(trees) ? values[i] : finish(trees[i], values[i]) for i in 1:length(values)]
    return nothing
end

function await_end(session::Session)
    items = hear(session)
    items[1] == "ended" || throw(foreign("it went on after the last check"))
end

function values_in(text::String)
    try
        return decode_values(Vector{UInt8}(codeunits(text)))
    catch err
        err isa BadMessage || rethrow()
        throw(foreign(string("what it sent is no value (", err.reason, ")")))
    end
end

function await_value(session::Session)
    items = hear(session)
    items[1] == "value" && length(items) == 2 || throw(foreign("a value was not sent"))
    values = values_in(items[2])
    length(values) == 1 || throw(foreign("a value was not sent"))
    has_identity(typeof(values[1])) && (session.fetched[values[1]] = nothing)
    return values[1]
end

function go_on()
    session = SESSION[]::Session
    session.waits && reply(session.control, ["go"])
    return nothing
end

function next_turn(number::Int, @nospecialize(values...))
    session = await_turn(number)
    reply(session.control, ["turn", String(encode_values(Any[values...], _ -> throw(Unsplit()), true))])
end

last_turn(number::Int) = reply(await_turn(number).control, ["over"])

function await_turn(number::Int)
    session = SESSION[]::Session
    items = hear(session)
    items[1] == "turn" && length(items) == 2 && items[2] == string(number) || throw(foreign("loop $number was left early"))
    return session
end

# ---- what test code is made of

"A function that both sides know, as a check applies it to values of the candidate's and of its own."
struct Node
    number::Int
    name::Any
    f::Any
    decides::Bool
    keywords::Vector{Any}
    parts::Vector{Any}        # Slot, Own or Node
end

node(number::Int, @nospecialize(name), @nospecialize(f), decides::Bool, keywords::Tuple, @nospecialize(parts...)) =
    Node(number, name, f, decides, Any[keywords...], Any[parts...])

"A value that the candidate sends; it does not matter where the referee has it too and nobody can have changed it."
struct Slot
    own::Any
end

const SLOT = Slot(nothing)

struct Own
    value::Any
end

"""
What a hole is worth: the value that was sent, or a function of Julia's or of the test's applied to what was sent,
where all of that can travel. Where a value cannot, the candidate was ordered to apply it, and sends what it gave.
"""
function finish(@nospecialize(tree), @nospecialize(sent))
    sent isa Parts || tree isa Node || return tree isa Slot && tree.own !== nothing ? pick_value(tree.own, sent) : sent
    tree isa Node || throw(foreign("a value was not sent"))
    if !(sent isa Parts)
        session = SESSION[]::Session
        haskey(session.made, tree.number) && return session.made[tree.number]
        tree.number in session.applied || throw(foreign("it sends the value of a function that it was not to apply"))
        note_result(tree.name, sent)
        return sent
    end
    return apply_node(tree, arguments_for(tree, values_in(sent.message)))
end

apply_node(tree::Node, arguments::Vector{Any}) = isempty(tree.keywords) ? tree.f(arguments...) : tree.f(arguments...; tree.keywords...)

function arguments_for(tree::Node, sent::Vector{Any})
    arguments, at = Any[], 0
    for part in tree.parts
        part isa Own && (push!(arguments, part.value); continue)
        at += 1
        at <= length(sent) || throw(foreign("a value was not sent"))
        push!(arguments, finish(part, sent[at]))
    end
    at == length(sent) || throw(foreign("more values were sent than there are"))
    return arguments
end

function find_node(@nospecialize(trees), number::Int)
    for tree in trees
        tree isa Node || continue
        tree.number == number && return tree
        found = find_node(tree.parts, number)
        found === nothing || return found
    end
    return nothing
end

"Have the candidate apply a function to a value that only it has."
function order_call(session::Session, @nospecialize(tree), sent::Vector{Any})
    tree isa Node || throw(foreign("it asks for what the check does not have"))
    arguments = arguments_for(tree, sent)
    keywords = Any[pair for pair in tree.keywords]
    if any(argument -> argument isa Handle, arguments)
        push!(session.applied, tree.number)
        message = call_message(tree.name, keywords, arguments)
        note_call(session, tree.name, tree.decides, arguments, tree.keywords)
        return reply(session.control, ["call", message])
    end
    # A constant that both have cannot travel. The candidate goes on with what it makes of its own one.
    of_slots = with_gaps(tree, sent)
    any(value -> value isa Handle, of_slots) || throw(foreign("it asks for a call of values that are all here"))
    message = call_message(tree.name, keywords, Any[value isa Handle ? value : argument for (value, argument) in zip(of_slots, arguments)])
    !session.may_tell && any(part -> part isa Own && holds_data(part.value), tree.parts) && throw(Untold())
    session.made[tree.number] = apply_node(tree, arguments)
    reply(session.control, ["call", message])
end

"What was sent for the parts of a call, with nothing where the referee has a value of its own."
function with_gaps(tree::Node, sent::Vector{Any})
    values = copy(sent)
    return Any[part isa Own ? nothing : popfirst!(values) for part in tree.parts]
end

# Functions that read a value at a place or as a type that they are told, and options of others that say how: neither
# says what is expected.
const READING = (:getindex, :getproperty, :getfield, :get, :haskey, :view, :size, :axes, :first, :last, :isassigned, :collect, :convert)
const OPTIONS = (:dims, :rev, :digits, :sigdigits, :base, :atol, :rtol)
# Functions that call another one: with one of the candidate's, the rest are its inputs.
const APPLYING = (:map, :filter, :broadcast, :foreach, :reduce, :foldl, :foldr, :mapreduce, :accumulate, :sum, :prod, :maximum, :minimum,
    :count, :findall, :findfirst, :sprint)
# A Bool that one of these gives was in the value.
const FETCHING = (:getindex, :getproperty, :getfield, :get)

"""
What a call in the candidate's process means for who decides. A comparison that a method of its own makes is its
decision. Anything else that it is told might be what is expected, which its methods could give back.
"""
function note_call(session::Session, @nospecialize(name), decides::Bool, arguments::Vector{Any}, @nospecialize(keywords))
    told = tells(name, arguments, keywords)
    told && !session.may_tell && throw(Untold())
    (decides || told) && (session.by_candidate = true)
    return nothing
end

# A Bool that a method of its own gives, such as `isempty`, is a decision.
note_result(@nospecialize(name), @nospecialize(value)) =
    value isa Bool && !(name in FETCHING) && ((SESSION[]::Session).by_candidate = true)

function tells(@nospecialize(name), arguments::Vector{Any}, @nospecialize(keywords))
    name isa Handle && return false       # a function that the candidate made: these are its inputs
    name in READING && arguments[1] isa Handle && return false
    name in APPLYING && arguments[1] isa Handle && arguments[1].known <: Function && return false
    return any(holds_data, arguments) || any(pair -> !(pair[1] in OPTIONS) && holds_data(pair[2]), keywords)
end

holds_data(@nospecialize(x)) = !(x isa Handle || x isa Type || x isa Function && Base.issingletontype(typeof(x)))

"An order to make a call; Unsplit if its arguments cannot travel, whatever the candidate may be told."
function call_message(@nospecialize(name), keywords::Vector{Any}, arguments::Vector{Any})
    parts = Any[name, Tuple(Symbol[pair[1] for pair in keywords]), Any[pair[2] for pair in keywords]..., arguments...]
    return String(encode_values(parts, _ -> throw(Unsplit()), true))
end

function hole(number::Int)
    session = SESSION[]::Session
    1 <= number <= length(session.holes) || throw(foreign("a value was not sent"))
    return session.holes[number]
end

"A hole that the candidate evaluates now, because the referee needs it."
function lazy_hole(number::Int)
    session = SESSION[]::Session
    reply(session.control, ["hole", string(number)])
    return await_value(session)
end

"A variable that both sides have: a value that cannot be changed is the referee's own, another the candidate's."
pick(number::Int, @nospecialize(own)) = pick_value(own, hole(number))

function pick_value(@nospecialize(own), @nospecialize(sent))
    is_constant(own) && return own
    isequal(own, sent) || ((SESSION[]::Session).changed = true)
    return sent
end

"A candidate that changed its inputs has a say in what is expected, where that is made of them."
inputs_decide() = (SESSION[]::Session).changed && ((SESSION[]::Session).by_candidate = true)

function is_constant(@nospecialize(x))
    x isa Union{String,Symbol,BigInt,Type,Regex,Function} && return true
    T = typeof(x)
    isbitstype(T) && return true
    return !has_identity(T) && !(x isa AbstractArray) && all(i -> isdefined(x, i) && is_constant(getfield(x, i)), 1:nfields(x))
end

"A call that the referee makes itself, unless a value takes part that it does not have."
function call_either(@nospecialize(name), @nospecialize(f), @nospecialize(args...); keywords...)
    name in (:(===), :(!==)) && foreach(known_object, args)
    any(arg -> arg isa Handle, args) || f isa Handle || any(pair -> pair[2] isa Handle, keywords) || return f(args...; keywords...)
    length(args) == 2 && args[1] isa Handle && name in (:isa, :(===), :(!==)) && return about_handle(name, args...)
    same_contents(name, f, args, keywords) && return true
    decides = name in DECIDING || f isa Function && parentmodule(f) === (SESSION[]::Session).home
    return ask_candidate(f isa Handle ? f : name, Any[keywords...], Any[args...], decides)
end

"""
Is a collection of the candidate's own type equal to plain data by what is in it? Then its type has nothing to
decide: without methods of its own that is what Julia would say.
"""
function same_contents(@nospecialize(name), @nospecialize(f), @nospecialize(args), keywords)
    name in (:(==), :isequal, :isapprox, :(≈), :in, :∈) && length(args) == 2 && count(arg -> arg isa Handle, args) == 1 || return false
    handle = args[1] isa Handle ? args[1] : args[2]
    contents = contents_of(handle)
    return contents !== nothing && f((arg === handle ? contents : arg for arg in args)...; keywords...) === true
end

"The elements of a collection of the candidate's, in one of Julia's own; `nothing` if they cannot travel."
function contents_of(handle::Handle)
    handle.known <: Union{AbstractArray,AbstractDict,AbstractSet} || return nothing
    elements = ask_candidate(:collect, Any[], Any[handle])
    elements isa Array || return nothing
    handle.known <: AbstractDict && return all(pair -> pair isa Pair, elements) ? Dict(elements) : nothing
    return handle.known <: AbstractSet ? Set(elements) : elements
end

function ask_candidate(@nospecialize(name), keywords::Vector{Any}, arguments::Vector{Any}, decides::Bool = false)
    session = SESSION[]::Session
    session.waits || throw(foreign("it does not wait for an answer"))
    message = call_message(name, keywords, arguments)
    note_call(session, name, decides, arguments, keywords)
    reply(session.control, ["call", message])
    value = await_value(session)
    note_result(name, value)
    return value
end

no_handle(@nospecialize(x)) = x isa Handle ? throw(Unsplit()) : x

# Which object it is over there, nobody can say of one that came in a message of its own.
known_object(@nospecialize(x)) = has_identity(typeof(x)) && haskey((SESSION[]::Session).fetched, x) ? throw(Unsplit()) : nothing

# What a handle says of itself is enough.
function about_handle(name::Symbol, handle::Handle, @nospecialize(other))
    name === :isa && other isa Type && return handle.exact <: other
    name === :isa && return other isa Handle ? decided_there(name, handle, other) : isa(handle, other)
    # Which of its own objects are one, its process says. A function of Julia's has a type of one instance.
    other isa Handle && ((SESSION[]::Session).by_candidate = true)
    same = other isa Handle ? other.id == handle.id : other isa Function && handle.known === typeof(other) && Base.issingletontype(typeof(other))
    return name === :(===) ? same : !same
end

function decided_there(name::Symbol, @nospecialize(args...))
    return ask_candidate(name, Any[], Any[args...], true)
end

# The elements of a value of the candidate's own, as the candidate gives them.
elements(handle::Handle) = call_either(:collect, collect, handle)
Base.iterate(handle::Handle) = (all = elements(handle); all isa Handle ? throw(Unsplit()) : iterate_rest(all, iterate(all)))
Base.iterate(::Handle, state) = iterate_rest(state[1], iterate(state[1], state[2]))
iterate_rest(all, next) = next === nothing ? nothing : (next[1], (all, next[2]))
Base.IteratorSize(::Type{Handle}) = Base.SizeUnknown()
Base.broadcastable(handle::Handle) = (all = elements(handle); all isa Handle ? throw(Unsplit()) : all)

function decide_pair(text::String, op::Symbol, @nospecialize(left), @nospecialize(right), keywords...)
    call_either(op, comparison(op), left, right; keywords...) === true && return go_on()
    throw(TestFailed(with_text(text, string("got ", brief(left), " ", op, " ", brief(right)))))
end

function decide_truth(text::String, @nospecialize(value))
    value === true && return go_on()
    throw(TestFailed(with_text(text, value === false ? "the expression is false" : string("the expression is ", brief(value), ", not a Bool"))))
end

"`thrown`: what is known of the exception in any case, or nothing; `err`: itself, or its handle."
function decide_thrown(@nospecialize(expected), @nospecialize(thrown), @nospecialize(err))
    thrown isa Tuple{Bool,Type,String,String} || throw(TestFailed(string("expected ", brief(expected), ", but nothing was thrown")))
    _, known, type, message = thrown
    err isa Handle && (known = err.exact)
    is_expected(expected, known, message, err) && return go_on()
    throw(TestFailed(string("expected ", brief(expected), ", got ", clip(type, 80), isempty(message) ? "" : ": ", clip(message))))
end

function is_expected(@nospecialize(expected), @nospecialize(known), message::String, @nospecialize(err))
    expected isa Type && return is_kind_of(known, expected) || (err isa LoadError && err.error isa expected)
    expected isa AbstractString && return occursin(expected, message)
    expected isa Regex && return occursin(expected, message)
    expected isa Handle && return expected.known <: Type && decided_there(:isa, err, expected) === true
    typeof(expected) === known || return false
    err isa Handle && throw(Unsplit())
    return all(i -> isequal(getfield(expected, i), getfield(err, i)), fields_that_count(expected))
end
