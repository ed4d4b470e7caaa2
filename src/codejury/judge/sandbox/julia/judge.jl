# One job: the blocks of an answer, then examples and unit tests as they are ordered, one at a time.
#
# Frames, in this order, each under the job's key:
#   missing     packages the definition needs and Julia does not have        (then: done)
#   given       error type, message, line: the definition's own code fails   (then: done)
#   begun       from here on it is the candidate's time, and the candidate's death
#   candidates  rule, snippets used, how many candidates there are
#   extraction  dropped imports, dropped tests, the code before clean-up
#   parsed      "1", or "0" with message and line                            (then: done)
#   main        ending, error type, message, line, seconds, statements run, still parsed
#   block       kind, index, ending, error type, message, line, seconds      (for each that was ordered whole)
#   done        what the candidate did to the judge
#
# Orders: whole, with kind, index, number, setup, code and teardown: judge it in this process;
#         split, with a number and the candidate's part of a unit test (asking.jl); end.

struct Job
    attempt::Int                # which candidate, from 1
    interpret::Bool             # see `interpret_from_now`
    name::Symbol
    imports::Vector{String}
    snippets::Vector{Snippet}
    given::String               # code that exists already, see `run_given`
    performance::Vector{String} # set-up and code of each statement to measure, see measuring.jl; attempt 0 asks for it
end

Job(attempt, interpret, name, imports, snippets, given) = Job(attempt, interpret, name, imports, snippets, given, String[])

function read_job(items::Vector{String})
    snippets = decode(items[5])
    return Job(parse(Int, items[1]), items[2] == "1", Symbol(items[3]), decode(items[4]),
        Snippet[read_snippet(snippets[i], snippets[i+1]) for i in 1:2:length(snippets)], items[6], items[7:end])
end

"A snippet from its code and what is said of it: its kind, and its lines that only look like prompts, `julia 2 5`."
function read_snippet(about::String, code::String)
    words = split(about)
    return Snippet(String(words[1]), code, Int[parse(Int, word) for word in words[2:end]])
end

"Setup, code and teardown of one example or unit test, parsed apart so that lines count from its own start."
struct TestBlock
    kind::String
    index::Int
    setup::Parsed
    code::Parsed
    teardown::Parsed
end

TestBlock(order::Vector{String}) = TestBlock(order[2], parse(Int, order[3]), parse_code(order[5]), parse_code(order[6]), parse_code(order[7]))

# Where Julia keeps its own `--compile` option; `nothing` where a version has none.
const COMPILE_OPTION = let at = findfirst(==(:compile_enabled), fieldnames(Base.JLOptions))
    at === nothing ? nothing : Int(fieldoffset(Base.JLOptions, at))
end

"""
Run what is not compiled yet in Julia's interpreter. Most candidates do so little that compiling them
takes longer than all the rest; the supervisor repeats with the compiler what does not end at once.
"""
function interpret_from_now()
    COMPILE_OPTION === nothing && return
    unsafe_store!(cglobal(:jl_options, UInt8) + COMPILE_OPTION, 0x03)     # as --compile=min
    return
end

# The candidate's, and one that it never sees. Making them takes longer than parsing an answer, so a fork
# server makes them once: its children start with a copy that nobody has touched.
const Modules = Tuple{Module,Module}
fresh_modules() = (fresh_module(), fresh_module())

function judge(channel::Channel, orders::Cint, job::Job, watchlist::Watchlist, modules::Modules = fresh_modules())
    job.attempt == 0 && return measure(channel, job, watchlist, modules)
    job.interpret && interpret_from_now()
    home, pristine = modules
    absent = load_imports(home, job.imports)
    isempty(absent) || return finish(channel, ["missing"; absent])
    load_imports(pristine, job.imports)
    fault = run_given(home, job.given)
    isempty(fault) || return finish(channel, ["given"; fault])
    send(channel, ["begun"])
    candidate = choose_candidate(channel, job)
    candidate === nothing && return send(channel, ["done"])
    cleaned = clean(candidate.parsed)
    send_extraction(channel, candidate, cleaned)
    scope = Scope(home, pristine, job.name)
    named = run_main(channel, scope, candidate, cleaned) ? follow_orders(channel, orders, scope) : Symbol[]
    flush_streams()
    send(channel, ["done"; find_tampering(scope, watchlist, named)])
end

"Judge what is ordered until the end is; the names in the unit tests that were judged here, and in helpers of others."
function follow_orders(channel::Channel, orders::Cint, scope::Scope)
    named = Symbol[]
    taken = Set{Symbol}(names(scope.home, all = true))
    while true
        order = next_order(orders)
        if order[1] == "split"
            run_split(channel, orders, scope, taken, named, parse(Int, order[2]), order[3])
        elseif order[1] == "whole"
            block = TestBlock(order)
            block.kind == "unit_test" && append!(named, names_in_tests(Parsed[block.code]))
            run_block(channel, scope, meant(scope, taken, block), parse(Int, order[4]))
        elseif order[1] == "end"
            return unique(named)
        end
    end
end

"A block with each name of Julia's replaced by what it means, where that is not left to the candidate's module."
function meant(scope::Scope, taken::Set{Symbol}, block::TestBlock)
    parts = Parsed[block.setup, block.code, block.teardown]
    LOOKING_UP_SETTLES[] && settle_names(scope, parts)
    meanings = find_meanings(scope, taken, parts)
    isempty(meanings) && return block
    return TestBlock(block.kind, block.index, with_meanings(block.setup, meanings), with_meanings(block.code, meanings), with_meanings(block.teardown, meanings))
end

finish(channel::Channel, items::Vector{String}) = (send(channel, items); send(channel, ["done"]))

"The candidate this job is about, or `nothing` after saying that the answer holds no code."
function choose_candidate(channel::Channel, job::Job)
    candidates = select_candidates(job.snippets, job.name)
    if isempty(candidates)
        send(channel, ["candidates", "none", "", "0"])
        send(channel, ["parsed", "0", "the answer holds no Julia code", "0"])
        return nothing
    end
    candidate = candidates[min(job.attempt, length(candidates))]
    used = join(string.(candidate.used .- 1), ",")
    send(channel, ["candidates", candidate.rule, used, string(length(candidates))])
    return candidate
end

function send_extraction(channel::Channel, candidate::Candidate, cleaned::Cleaned)
    send(channel, ["extraction", join(unique(cleaned.dropped_imports), ","), string(cleaned.dropped_tests), candidate.code])
end

"A module as a file would have it, with its own `eval` and `include`."
function fresh_module()
    home = Module(:Answer)
    Core.eval(home, :(eval(x) = Core.eval($home, x)))
    Core.eval(home, :(include(path) = Base.include($home, path)))
    # A program knows its own module by this name: `Main.f`, `@eval Main ...`, `include_string(Main, code)`.
    Core.eval(home, :(const Main = $home))
    Core.eval(home, :(using Test))
    return home
end

"Load what the definition imports; the names of packages that are not there."
function load_imports(home::Module, imports::Vector{String})
    absent = String[]
    for name in imports
        ex = Meta.parse("using " * name)
        roots = Symbol[import_root(path) for path in ex.args]
        all(is_available, roots) ? Core.eval(home, ex) : push!(absent, name)
    end
    return absent
end

"""
Run the code that the definition gives, before the candidate's and before the judge looks at methods: it is the
author's, so nothing in it is an attempt on the verdict. Error type, message and line of what fails, or nothing.
"""
function run_given(home::Module, code::String)
    isempty(code) && return String[]
    parsed = parse_code(code)
    parsed_well(parsed) || return String["ParseError", parsed.error, string(parsed.line)]
    seed(0)
    for statement in parsed.statements
        err = attempt(() -> Core.eval(home, statement.code))
        err === nothing || return String[describe(err.value)..., string(statement.line)]
    end
    return String[]
end

function run_main(channel::Channel, scope::Scope, candidate::Candidate, cleaned::Cleaned)
    parsed = candidate.parsed
    send(channel, ["parsed", parsed_well(parsed) ? "1" : "0", parsed.error, string(parsed.line)])
    parsed_well(parsed) || return false
    seed(0)
    started = time_ns()
    for (done, statement) in enumerate(cleaned.statements)
        # A program may end itself where it is at its end.
        code = done == length(cleaned.statements) ? without_exit(statement.code) : statement.code
        err = attempt(() -> Core.eval(scope.home, code))
        err === nothing && continue
        flush_streams()
        lowers = still_lowers(scope, err.value, statement.code)
        send(channel, ["main"; failure_fields(err.value, statement.line, started); string(done - 1); lowers ? "1" : "0"])
        return false
    end
    flush_streams()
    send(channel, ["main", "passed", "", "", "0", seconds_since(started), string(length(cleaned.statements)), "1"])
    return true
end

"`exit(main())` without the exit, unless it reports a failure."
function without_exit(@nospecialize(ex))
    ex isa Expr && ex.head === :call && ex.args[1] === :exit && length(ex.args) <= 2 || return ex
    length(ex.args) == 1 && return nothing
    status = gensym(:status)
    return Expr(:let, Expr(:(=), status, ex.args[2]), Expr(:block, Expr(:||, Expr(:call, ==, status, 0), Expr(:call, :exit, status))))
end

# A thrown value of any kind, `nothing` included.
struct Thrown
    value::Any
end

attempt(f) = try f(); nothing catch err; Thrown(err) end

"Some faults of syntax show only when code is lowered: `x + 1 = 2` parses."
still_lowers(scope::Scope, @nospecialize(err), @nospecialize(code)) = !(is_syntax_error(err) && isbroken(Meta.lower(scope.home, code)))

# An ErrorException that says so; a type of its own where lowering is written in Julia.
is_syntax_error(@nospecialize(err)) = err isa Meta.ParseError || nameof(typeof(err)) === :LoweringError ||
    (err isa ErrorException && is_text(err.msg) && startswith(err.msg, "syntax:"))

function failure_fields(@nospecialize(err), line::Int, started::UInt64)
    type, message = describe(err)
    return String[err isa TestFailed ? "failed" : "errored", type, message, string(line), seconds_since(started)]
end

# Without Printf or Float printing: both are slow the first time.
function seconds_since(started::UInt64)
    micros = Int((time_ns() - started) ÷ 1000)
    return string(micros ÷ 1_000_000, ".", lpad(string(micros % 1_000_000), 6, '0'))
end

# Each block has its own numbers, so that skipping one moves nothing in the others.
seed(number::Int) = (Random.seed!(number); nothing)

function run_block(channel::Channel, scope::Scope, block::TestBlock, number::Int)
    seed(number)
    started = time_ns()
    asserts = block.kind == "unit_test"
    err, line = run_part(scope, block.setup, 0, asserts)
    if err === nothing
        err, line = run_part(scope, block.code, 1, asserts)
        after, _ = run_part(scope, block.teardown, 0, asserts)     # always: the next block must find things in order
        err === nothing && after !== nothing && (err = after; line = 0)
    end
    flush_streams()
    fields = err === nothing ? String["passed", "", "", "0", seconds_since(started)] : failure_fields(err.value, line, started)
    send(channel, ["block", block.kind, string(block.index), fields...])
end

with_meanings(parsed::Parsed, meanings::Meanings) = isempty(meanings) ? parsed :
    Parsed(Statement[Statement(s.line, replace_names(meanings, s.code)) for s in parsed.statements], parsed.error, parsed.line)

"Run statements until one fails; what it threw, and its line where `own` says lines count."
function run_part(scope::Scope, parsed::Parsed, own::Int, asserts::Bool)
    for statement in parsed.statements
        err = attempt(() -> run_statement(scope, statement.code, asserts))
        err === nothing || return Thrown(as_failure(err.value)), own * statement.line
    end
    parsed_well(parsed) || return Thrown(Meta.ParseError(parsed.error)), own * parsed.line
    return nothing, 0
end
