# One job, from the blocks of an answer to a verdict.
#
# Frames, in this order, each under the job's key:
#   candidates  rule, snippets used, how many candidates there are
#   extraction  dropped imports, dropped tests, the code before clean-up
#   missing     packages the definition needs and Julia does not have        (then: done)
#   parsed      "1", or "0" with message and line                            (then: done)
#   main        ending, error type, message, line, seconds, statements run, still parsed
#   block       kind, index, ending, error type, message, line, seconds      (examples, then unit tests)
#   done        what the candidate did to the judge

struct Job
    attempt::Int                # which candidate, from 1
    interpret::Bool             # see `interpret_from_now`
    name::Symbol
    imports::Vector{String}
    skip::Vector{Int}           # blocks that hung or died in an earlier run of the same job
    snippets::Vector{Snippet}
    examples::Vector{String}
    examples_around::Tuple{String,String}
    tests::Vector{String}
    tests_around::Tuple{String,String}
end

function read_job(items::Vector{String})
    snippets = decode(items[6])
    return Job(parse(Int, items[1]), items[2] == "1", Symbol(items[3]), decode(items[4]), parse.(Int, decode(items[5])),
        Snippet[read_snippet(snippets[i], snippets[i+1]) for i in 1:2:length(snippets)],
        decode(items[7]), (items[8], items[9]), decode(items[10]), (items[11], items[12]))
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

function test_blocks(job::Job)
    blocks = TestBlock[]
    for (kind, codes, around) in (("example", job.examples, job.examples_around), ("unit_test", job.tests, job.tests_around))
        setup, teardown = parse_code(around[1]), parse_code(around[2])
        for (index, code) in enumerate(codes)
            push!(blocks, TestBlock(kind, index - 1, setup, parse_code(code), teardown))
        end
    end
    return blocks
end

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

function judge(channel::Channel, job::Job, watchlist::Watchlist, modules::Modules = fresh_modules())
    job.interpret && interpret_from_now()
    candidate = choose_candidate(channel, job)
    candidate === nothing && return send(channel, ["done"])
    cleaned = clean(candidate.parsed)
    send_extraction(channel, candidate, cleaned)
    home, pristine = modules
    absent = load_imports(home, job.imports)
    isempty(absent) || return finish(channel, ["missing"; absent])
    load_imports(pristine, job.imports)
    blocks = test_blocks(job)
    scope = Scope(home, pristine, job.name)
    if run_main(channel, scope, candidate, cleaned)
        parts = Parsed[part for block in blocks for part in (block.setup, block.code, block.teardown)]
        LOOKING_UP_SETTLES[] && settle_names(scope, parts)
        for (number, block) in enumerate(with_meanings(blocks, find_meanings(scope, parts)))
            number in job.skip || run_block(channel, scope, block, number)
        end
    end
    flush_streams()
    named = names_in_tests(Parsed[block.code for block in blocks if block.kind == "unit_test"])
    send(channel, ["done"; find_tampering(scope, watchlist, named)])
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

function run_main(channel::Channel, scope::Scope, candidate::Candidate, cleaned::Cleaned)
    parsed = candidate.parsed
    send(channel, ["parsed", parsed_well(parsed) ? "1" : "0", parsed.error, string(parsed.line)])
    parsed_well(parsed) || return false
    seed(0)
    started = time_ns()
    for (done, statement) in enumerate(cleaned.statements)
        err = attempt(() -> Core.eval(scope.home, statement.code))
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

"The blocks with each name of Julia's replaced by what it means, where that is not left to the candidate's module."
with_meanings(blocks::Vector{TestBlock}, meanings::Meanings) = isempty(meanings) ? blocks :
    TestBlock[TestBlock(block.kind, block.index, with_meanings(block.setup, meanings), with_meanings(block.code, meanings), with_meanings(block.teardown, meanings)) for block in blocks]

with_meanings(parsed::Parsed, meanings::Meanings) =
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
