# Everything a child does, done once before the first fork. What is first used after a fork is compiled
# again for every candidate: a single string interpolation costs 25 ms.

const REHEARSED_ANSWER = """
using Dates, NotInstalledAnywhere
import Statistics: mean
\"\"\"A docstring.\"\"\"
struct Rehearsed{T}
    value::T
end
Base.show(io::IO, r::Rehearsed) = print(io, "R(", r.value, ")")
const TABLE = Dict("a" => 1)
function rehearsed(x::Number; by = 1)
    total = zero(x)
    for i in 1:3
        total += i * by
    end
    return x + total
end
rehearsed(s::AbstractString) = uppercase(strip(s)) * "!"
rehearsed(v::AbstractVector) = [rehearsed(x) for x in v if x != 0]
println("rehearsed ", rehearsed(1))
@test rehearsed(1) == 0
"""

const REHEARSED_TESTS = String[
    "@test rehearsed(1) == 7", "@test rehearsed(1) == 8", "@test rehearsed(1.5) ≈ 7.5", "@test rehearsed(1.5) ≈ 9 atol=0.1",
    "@test rehearsed(\" a \") == \"A!\"", "@test rehearsed(\"b\") == \"c\"", "@test rehearsed([1, 0, 2]) == [7, 8]",
    "@test rehearsed([1.0]) == [1.0]", "@test rehearsed([\"x\"]) == [\"X!\"]", "@test rehearsed([\"x\"]) == [\"Y!\"]",
    "@test (1, \"a\", :b) == (1, \"a\", 'c')", "@test (a = 1, b = nothing) == (a = 1, b = 2.0)",
    "@test Dict(\"a\" => 1) == Dict(\"a\" => 2)", "@test Set([1]) == Set([1])", "@test isempty([1])", "@test true", "@test false", "@test 1",
    "@test 1 < 2 < 3", "@test 3 < 2 < 1", "@test 1 in [1, 2]", "@test \"a\" in [\"b\"]", "@test rehearsed(1) isa Int", "@test !isempty(\"a\")",
    "@test rehearsed(1) == 7 && rehearsed(2) == 8", "@test string(Rehearsed(1)) == \"R(1)\"", "@test Rehearsed(1) == Rehearsed(2)",
    "@test Any[1, \"a\"] == Any[1, \"b\"]", "@test Date(2020, 1, 1) == Date(2020, 1, 2)", "@test rehearsed(nothing) == 1", "@test Rehearsed(1) == 1",
    "@test_throws MethodError rehearsed(nothing)", "@test_throws ArgumentError rehearsed(nothing)", "@test_throws ArgumentError rehearsed(1)",
    "@test_throws ArgumentError(\"x\") throw(ArgumentError(\"x\"))", "undefined_name", "[1, 2][5]", "parse(Int, \"x\")", "Dict(1 => 2)[3]",
    "error(\"boom\")", "sqrt(-1)", "Int(1.5)", "throw(\"text\")", "x = 1 +", "let x = 1\n    @test x == 2\nend", "let x = 1\n    @test x == 1\nend",
    "@testset \"inner\" begin\n    @test rehearsed(1) == 7\n    @test_throws MethodError rehearsed(nothing)\nend",
    "for i in 1:2\n    @test rehearsed(i) ≈ i + 6 atol=0.1\nend", "io = IOBuffer()\nshow(io, Rehearsed(1))\n@test String(take!(io)) == \"R(2)\"",
    "@assert rehearsed(1) == 7", "@assert rehearsed(1) == 8 \"a text\"", "@assert isempty([1])", "@assert 1 < 2 < 3",
    "for i in 1:2\n    @assert rehearsed(i) == i + 6\nend", "let x = 1\n    @assert x == 2 \"a text\"\nend", "let x = 1\n    @assert x > 2\nend",
    "let x = true\n    @assert x\nend",
    "1 + nothing", "\"a\" + 1", "(1, 2)[3]", "nothing.field", "convert(Int, \"a\")", "x::Int = \"a\"", "div(1, 0)", "first([])", "tryparse(Int, 3)",
]

rehearsed_job(answer::String, attempt::Int = 1) = Job(attempt, false, :rehearsed, ["Dates", "Base.Threads"],
    Snippet[Snippet("julia", answer), Snippet("other", "print('x')"), Snippet("julia", "rehearsed(2)\nusing Random")], "")

const REHEARSED_FAULTS = String["f(x) = x +", "function f(", "undefined_name", "1 + 1 = 2", "error(\"x\")", "# nothing", "f(x) = x\nf()", ""]
const REHEARSED_EXAMPLES = String["rehearsed(1)", "rehearsed([1, 2]; by = 2)", "rehearsed(:x)"]

"Judge a few answers of every kind into /dev/null."
function rehearse(watchlist::Watchlist)
    null = open_fd("/dev/null", O_WRONLY | O_CLOEXEC)
    channel = Channel(null, "rehearsal key")
    quietly() do
        with_orders(REHEARSED_EXAMPLES, REHEARSED_TESTS) do orders
            judge(channel, orders, rehearsed_job(REHEARSED_ANSWER, 1), watchlist)
        end
        for attempt in (2, 3)
            with_orders(orders -> judge(channel, orders, rehearsed_job(REHEARSED_ANSWER, attempt), watchlist), REHEARSED_EXAMPLES, REHEARSED_TESTS[1:2])
        end
        for fault in REHEARSED_FAULTS
            with_orders(orders -> judge(channel, orders, rehearsed_job(fault), watchlist), String[], String[])
        end
        bare_text = Snippet[Snippet("bare", "Sorry, I cannot."), Snippet("untagged", "julia> f(x) =\n       x\nf (generic)")]
        with_orders(orders -> judge(channel, orders, Job(1, false, :f, String[], bare_text, "g() = 1"), watchlist), ["f(2)"], ["@test f(1) == 1"])
    end
    rehearse_wire()
    close_fd(null)
end

"""
Call `f` with a descriptor that has orders for a whole job. Each unit test is ordered in both ways; to the checks of
the split ones the answer is always to go on.
"""
function with_orders(f, examples::Vector{String}, tests::Vector{String})
    home = fresh_module()
    Core.eval(home, :(using Dates))
    orders = Vector{String}[["whole", "example", "0", "1", "", example, "nothing"] for example in examples]
    for test in tests
        push!(orders, ["whole", "unit_test", "0", "1", "y = 1", test, ""])
        split, part = prepare_test(home, :rehearsed, Set{Symbol}(), parse_code("y = 1"), parse_code(test), parse_code(""))
        split isa SplitTest || continue
        push!(orders, ["split", "1", part])
        append!(orders, [["go"] for _ in 1:count_checks(split)])      # one that nobody waits for is passed over
    end
    fd = order_file([orders; [["end"]]])
    f(fd)
    close_fd(fd)
end

# A loop is over before its first turn, and so are the checks in it.
count_checks(split::SplitTest) = sum(Int[count_heads(st.code, :codejury_check) for st in split.theirs])
count_heads(@nospecialize(ex), head::Symbol) = ex isa Expr ? Int(ex.head === head) + sum(Int[count_heads(arg, head) for arg in ex.args]) : 0

"A file in memory that holds these orders."
function order_file(orders::Vector{Vector{String}})
    fd = ccall(:memfd_create, Cint, (Cstring, Cuint), "orders", 1)
    for order in orders
        list = encode(order)
        bytes = UInt8[]
        put32!(bytes, length(list))
        write_all(fd, append!(bytes, list))
    end
    ccall(:lseek, Int, (Cint, Int, Cint), fd, 0, 0)
    return fd
end

# Candidates may print: that path is compiled too, and its output is nobody's business.
function quietly(f)
    streams = (stdout, stderr)
    sink = open("/dev/null", "w")
    redirect_stdout(sink)
    redirect_stderr(sink)
    try
        f()
    finally
        redirect_stdout(streams[1])
        redirect_stderr(streams[2])
        close(sink)
    end
end

"A job that arrives, and is not run."
function rehearse_wire()
    empty_list = String(encode(String[]))
    job = ["key", "1", "0", "f", empty_list, String(encode(["julia 1", "f"])), ""]
    ends = zeros(Cint, 2)
    ccall(:pipe2, Cint, (Ptr{Cint}, Cint), ends, O_CLOEXEC)
    write_all(ends[2], encode(job))
    close_fd(ends[2])
    take_job(Cint[ends[1], -1, -1])
end

"Compile the child's own path without taking it; what can be done harmlessly is done."
function rehearse_fork(inherited::Inherited)
    reopen_memory(inherited)
    put_file("/dev/null", "x")
    mount_fs("none", "/nonexistent", "none", UInt(0), "")
    set_limit(4, 0)
    number_at(small_file("/proc/self/schedstat"), 2)
    precompile(run_child, (Settings, Inherited, String, String, Vector{Cint}, Int, Watchlist, Modules))
    precompile(interpret_from_now, ())
    precompile(connect_streams, (Inherited, Cint))
    precompile(renew_shared, (Inherited,))
    precompile(watch, (Cint, Watched))
    precompile(map_ids, (String, String))
    precompile(lock_down, (Isolation, Int))
    precompile(private_mounts, (String, Int))
    precompile(set_limits, (Int, Bool))
    precompile(drop_capabilities, ())
    precompile(install_filter, (Vector{UInt8},))
    precompile(watch_over, (Cint, Cint, Int))
    precompile(sweep_up, (Settings, Inherited))
    precompile(empty_scratch, (String,))
    precompile(set_dumpable, (Bool,))
    precompile(spawn_child, (Isolation,))
    precompile(receive!, (Cint, Vector{UInt8}, Vector{Cint}))
    precompile(reply, (Cint, Vector{String}))
    precompile(take_kill_order, (Cint,))
    string("size=", 1, "m,nr_inodes=2000,mode=1777")
end
