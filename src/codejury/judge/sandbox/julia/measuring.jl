# How fast a candidate is: statements of the definition, run for it and for the reference solution, each in a module
# of its own, both in this process. It comes after the verdict and cannot change it.
#
# Frames: missing and given as in judge.jl; begun: from here on it is the candidate's time; then
#   measured    the reference's times in ns, the candidate's, bytes that each allocated, "1" if the call is inferred
#   unmeasured  whose fault ("definition" or "candidate"), which statement from 1 or 0 for none, why    (then: done)
#   done        what the candidate changed outside of its module
#
# Times and bytes are taken here, by code that was compiled before the candidate came and runs in the world from
# before it: what it does to `time_ns` or `gc_bytes` is not seen from here. It could still write to the memory of its
# own process: docs/sandbox.md says what that means.

const FEWEST_ROUNDS = 9
const MOST_ROUNDS = 60
const ROUNDS_NS = 200_000_000
"The reference solution may become so many times slower when the candidate is loaded; else that one is to blame."
const MOST_SLOWER = 1.5
const ALONE_ROUNDS = 5

"A statement in one of the two modules: what makes its variables, and what is measured of them."
struct Timed
    setup::Any
    run::Any
end

struct Unmeasured <: Exception
    fault::String
    number::Int
    why::String
end

function measure(channel::Channel, job::Job, watchlist::Watchlist, modules::Modules)
    home, pristine = modules
    absent = load_imports(home, job.imports)
    isempty(absent) || return finish(channel, ["missing"; absent])
    try
        measure_both(channel, job, watchlist, home, pristine)
    catch err
        err isa Unmeasured || rethrow()
        finish(channel, ["unmeasured", err.fault, string(err.number), clip(err.why, 200)])
    end
end

function measure_both(channel::Channel, job::Job, watchlist::Watchlist, home::Module, pristine::Module)
    reference = fresh_module()
    parsed = Parsed[parse_code(text) for text in job.performance]
    pairs = Tuple{Parsed,Parsed}[(parsed[i], parsed[i+1]) for i in 1:2:length(parsed)]
    run_code(reference, job, job.snippets[2].code, "definition")
    theirs = Timed[timed_in(reference, number, pair...) for (number, pair) in enumerate(pairs)]
    alone = Int[time_alone(one, number) for (number, one) in enumerate(theirs)]
    send(channel, ["begun"])
    run_code(home, job, "", "definition")
    scope = Scope(home, pristine, job.name)
    run_code(home, job, job.snippets[1].code, "candidate"; given = false)
    for (number, pair) in enumerate(pairs)
        send(channel, measured(scope, theirs[number], timed_in(home, number, pair...), number, alone[number]))
    end
    flush_streams()
    send(channel, ["done"; find_foreign_methods(scope, watchlist)])
end

"""
Methods of the candidate's for functions and types that are not its own, all of them: the reference solution may call
any, and would be measured with it.
"""
function find_foreign_methods(scope::Scope, watchlist::Watchlist)
    found, tables = String[], copy(watchlist.always)
    foreach(some -> append!(tables, some), values(watchlist.by_name))
    for table in tables
        Base.visit(table) do method
            is_foreign(scope, method) && length(found) < 20 && push!(found, describe_method(method))
            true
        end
    end
    return unique(found)
end

is_foreign(scope::Scope, method) = method isa Method && method.primary_world > scope.world &&
    !any(T -> is_own_type(scope, T), Base.unwrap_unionall(method.sig).parameters)

"Load what is given and some code, as `judge` does."
function run_code(home::Module, job::Job, code::String, fault::String; given::Bool = true)
    load_imports(home, job.imports)
    failed = given ? run_given(home, job.given) : String[]
    isempty(failed) || throw(Unmeasured("definition", 0, string("the given code: ", failed[1], " ", failed[2])))
    seed(0)
    for statement in clean(parse_code(code)).statements
        err = attempt(() -> Core.eval(home, without_exit(statement.code)))
        err === nothing || throw(Unmeasured(fault, 0, string("its code: ", error_text(err.value))))
    end
end

error_text(@nospecialize(err)) = ((type, message) = describe(err); isempty(message) ? type : string(type, ": ", message))

"The functions of a statement: `() -> (setup; (u, v))` and `(_, u, v) -> statement`."
function timed_in(home::Module, number::Int, setup::Parsed, statement::Parsed)
    for parsed in (setup, statement)
        parsed_well(parsed) || throw(Unmeasured("definition", number, string("does not parse: ", parsed.error)))
    end
    names = setup_names(setup)
    made = Expr(:block, Any[one.code for one in setup.statements]..., Expr(:tuple, names...))
    run = Expr(:block, Any[one.code for one in statement.statements]...)
    try
        return Timed(Core.eval(home, Expr(:->, Expr(:tuple), made)), Core.eval(home, Expr(:->, Expr(:tuple, gensym(), names...), run)))
    catch err
        throw(Unmeasured("definition", number, error_text(err)))
    end
end

setup_names(setup::Parsed) =
    unique(Symbol[name for one in setup.statements if is_function(one.code) || is_assignment(one.code) for name in first(targets(one.code.args[1]))])

"The variables of a round; every round of both sides has the same random numbers."
function set_up(one::Timed, number::Int, round::Int, fault::String)
    seed(round)
    try
        return Base.invokelatest(one.setup)
    catch err
        throw(Unmeasured(fault, number, string("its set-up: ", error_text(err))))
    end
end

const CLOCK = zeros(Int64, 2)

"Processor time of this process: what others do on a busy machine is not in it."
function cpu_ns()
    ccall(:clock_gettime, Cint, (Cint, Ptr{Int64}), 2, CLOCK)
    return CLOCK[1] * 1_000_000_000 + CLOCK[2]
end

"Nanoseconds, bytes allocated, and the value of one call, in the newest world."
function timed_call(@nospecialize(f), @nospecialize(first), @nospecialize(rest))
    bytes = Base.gc_bytes()
    started = cpu_ns()
    value = Base.invokelatest(f, first, rest...)
    ns = cpu_ns() - started
    return ns, Base.gc_bytes() - bytes, value
end

function call(one::Timed, variables, number::Int, fault::String)
    try
        return timed_call(one.run, nothing, variables)
    catch err
        throw(Unmeasured(fault, number, error_text(err)))
    end
end

"What the reference solution takes while no line of the candidate's is in this process."
time_alone(one::Timed, number::Int) =
    minimum(call(one, set_up(one, number, round, "definition"), number, "definition")[1] for round in 0:ALONE_ROUNDS)

function measured(scope::Scope, reference::Timed, own::Timed, number::Int, alone::Int)
    value = compare_round(scope, reference, own, number, 0)[3]         # compiles
    inferred = is_inferred(own, set_up(own, number, 0, "candidate"), value)
    times, bytes = (Int[], Int[]), (Int[], Int[])
    started = cpu_ns()
    for round in 1:MOST_ROUNDS
        round > FEWEST_ROUNDS && cpu_ns() - started > ROUNDS_NS && break
        both = compare_round(scope, reference, own, number, round)
        for side in 1:2
            push!(times[side], both[side][1])
            push!(bytes[side], both[side][2])
        end
    end
    minimum(times[1]) > MOST_SLOWER * alone && throw(Unmeasured("candidate", number,
        "the reference solution is slower where this code is loaded"))
    return ["measured", join(times[1], ","), join(times[2], ","), string(minimum(bytes[2])), string(minimum(bytes[1])), inferred]
end

"""
One call of each side with the same variables, in turns the one or the other first. What they return, and what they
leave in the variables, has to be the same: what does less is not faster.
"""
function compare_round(scope::Scope, reference::Timed, own::Timed, number::Int, round::Int)
    theirs, ours = set_up(reference, number, round, "definition"), set_up(own, number, round, "candidate")
    all_same(scope, theirs, ours) || throw(Unmeasured("candidate", number, "its set-up gives other values than for the reference solution"))
    a = b = (0, 0, nothing)
    for turn in (isodd(round) ? (1, 2) : (2, 1))
        turn == 1 ? (a = call(reference, theirs, number, "definition")) : (b = call(own, ours, number, "candidate"))
    end
    is_same(scope, a[3], b[3]) && all_same(scope, theirs, ours) || throw(Unmeasured("candidate", number, "its result is not that of the reference solution"))
    return (a[1], a[2] - box_bytes(a[3], theirs)), (b[1], b[2] - box_bytes(b[3], ours)), b[3]
end

"Bytes that a call costs which allocates nothing: the box of its value."
box_bytes(@nospecialize(value), @nospecialize(variables)) = timed_call(unboxed, Ref{typeof(value)}(value), variables)[2]
unboxed(box::Ref, _...) = box[]

function is_inferred(one::Timed, @nospecialize(variables), @nospecialize(value))
    types = try
        Base.return_types(one.run, Tuple{Nothing,map(typeof, variables)...})
    catch
        return ""
    end
    return length(types) == 1 && (isconcretetype(types[1]) || types[1] === typeof(value)) ? "1" : "0"
end

# ---- are two values the same, as far as the judge can tell without the candidate's methods?

all_same(scope::Scope, theirs::Tuple, ours::Tuple) = length(theirs) == length(ours) && all(i -> is_same(scope, theirs[i], ours[i]), 1:length(theirs))
all_same(scope::Scope, @nospecialize(theirs), @nospecialize(ours)) = false

# Where the reference's value is of a type of the given code or of its own, nothing can be said.
is_same(scope::Scope, @nospecialize(theirs), @nospecialize(ours)) =
    !is_plain(scope, theirs) || is_plain(scope, ours) && about_equal(theirs, ours)

# Sums in another order differ in their last digits.
about_equal(a::Number, b::Number) = isequal(a, b) || isapprox(a, b; rtol = 1e-6, atol = 1e-9, nans = true)
about_equal(a::AbstractArray, b::AbstractArray) = axes(a) == axes(b) && all(((x, y),) -> about_equal(x, y), zip(a, b))
about_equal(a::Union{Tuple,NamedTuple,Pair}, b::Union{Tuple,NamedTuple,Pair}) = length(a) == length(b) && all(((x, y),) -> about_equal(x, y), zip(a, b))
about_equal(a::AbstractDict, b::AbstractDict) = length(a) == length(b) && all(key -> haskey(b, key) && about_equal(a[key], b[key]), keys(a))
about_equal(a::Union{AbstractString,AbstractSet}, b::Union{AbstractString,AbstractSet}) = isequal(a, b)
about_equal(@nospecialize(a), @nospecialize(b)) = isbits(a) || a isa Symbol ? isequal(a, b) : !(b isa Number)

# ---- rehearsal

const REHEARSED_GIVEN = "const SIZE = 64"
const REHEARSED_SOLUTION = "rehearsed!(u, v) = (for i in eachindex(u); u[i] = 2v[i]; end; u)"
const REHEARSED_STATEMENTS = ["u, v = zeros(SIZE), rand(SIZE)", "rehearsed!(u, v)", "n = rand(1:3)\nw = [n]", "sum(rehearsed!(w, [n]))"]

"Measure something, into /dev/null: the clock's own code must be compiled before a child is forked."
function rehearse_measuring(watchlist::Watchlist)
    null = open_fd("/dev/null", O_WRONLY | O_CLOEXEC)
    snippets = Snippet[Snippet("julia", REHEARSED_SOLUTION), Snippet("julia", REHEARSED_SOLUTION)]
    quietly() do
        job = Job(0, false, :rehearsed, String[], snippets, REHEARSED_GIVEN, REHEARSED_STATEMENTS)
        judge(Channel(null, "rehearsal key"), null, job, watchlist)
    end
    rehearse_wire()
    close_fd(null)
end
