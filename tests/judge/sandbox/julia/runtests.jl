# Tests of the Julia side alone: `julia tests/judge/sandbox/julia/runtests.jl`. No Python, no fork, no sandbox.

using Test

include(joinpath(@__DIR__, "..", "..", "..", "..", "src", "codejury", "judge", "sandbox", "julia", "Codejury.jl"))

const C = Codejury

"Judge an answer in this process; the frames as lists of strings, each proved to be the judge's."
function frames((job, ordered)::Tuple{C.Job,Vector{Vector{String}}})
    path, io = mktemp()
    close(io)
    fd, orders = C.open_fd(path, C.O_RDWR), C.order_file([ordered; [["end"]]])
    C.judge(C.Channel(fd, "0123456789abcdef"), orders, job, WATCHLIST)
    C.close_fd(fd)
    C.close_fd(orders)
    bytes = read(path)
    found = Vector{String}[]
    at = 1
    while at <= length(bytes)
        bytes[at:at+3] == C.FRAME_MARK || error("something that is no frame")
        size = C.get32(bytes, at + 4)
        list = bytes[at+8:at+7+size]
        signed = [reinterpret(UInt8, UInt32[length(found)]); list]
        bytes[at+8+size:at+39+size] == C.hmac_sha256(Vector{UInt8}(codeunits("0123456789abcdef")), signed) || error("a frame under another key")
        push!(found, C.decode(list))
        at += 40 + size
    end
    return found
end

const WATCHLIST = C.Watchlist()

function job(code::String; name = :f, tests = String[], examples = String[], imports = String[], attempt = 1, skip = Int[],
             around = ("", ""))
    blocks = [[("example", i, "", code, "") for (i, code) in enumerate(examples)]; [("unit_test", i, around[1], code, around[2]) for (i, code) in enumerate(tests)]]
    orders = [["whole", kind, string(i - 1), string(number), setup, code, teardown] for (number, (kind, i, setup, code, teardown)) in enumerate(blocks) if !(number in skip)]
    return C.Job(attempt, false, name, imports, [C.Snippet("julia", code)], ""), orders
end

named(found, kind) = [frame[2:end] for frame in found if frame[1] == kind]
endings(code, tests) = [block[3] for block in named(frames(job(code; tests = tests)), "block")]
ending(code, test) = only_one(endings(code, [test]))
only_one(list) = (length(list) == 1 || error("expected one, got $list"); list[1])

@testset "the encoding survives any bytes" begin
    for items in (String[], [""], ["a", "", "ü\n\0"], [String(UInt8[0xff, 0x00])])
        @test C.decode(C.encode(items)) == items
    end
end

@testset "parsing" begin
    @test length(C.parse_code("f(x) = x\n\ng(x) = x").statements) == 2
    @test C.parse_code("f(x) = x\n\ng(x) = x").statements[2].line == 3
    @test !C.parsed_well(C.parse_code("f(x) = (x"))
    @test C.parse_code("x = 1\ny = )").line == 2
    @test C.parsed_well(C.parse_code(""))
    @test C.without_prompts("julia> f(x) =\n       x + 1\nf (generic function)\n\njulia> f(1)\n2") == "f(x) =\nx + 1\nf(1)"
    @test C.without_prompts("a > b\n> c") == "a > b\n> c"
    @test C.without_prompts("]add Example\nusing Dates") == "using Dates"
    @test C.without_prompts("g(x) = x\n\njulia> g(1)\n1") == "g(x) = x\n\ng(1)"
    @test C.without_prompts("Here it is at work:\n\njulia> 1 + 1\n2") == "1 + 1"
    @test C.without_prompts("(@v1.5) pkg> add Example\n\njulia> 1") == "1"
    @test C.without_prompts("x = [1\n]\n") == "x = [1\n]\n"
    documented = "\"\"\"\njulia> f(1)\n]add X\n\"\"\"\nf(x) = x"
    @test C.without_prompts(documented, [2, 3]) == documented
    @test C.without_prompts(documented * "\n\njulia> f(2)\n2", [2, 3]) == documented * "\n\nf(2)"
    @test C.without_prompts("julia> s = \"\njulia> no prompt\n\"", [2]) == "s = \"\njulia> no prompt\n\""
end

@testset "which blocks are the code" begin
    rules(snippets, name = :f) = [(c.rule, c.used) for c in C.select_candidates(snippets, name)]
    julia(code) = C.Snippet("julia", code)
    @test rules([julia("f(x) = x"), julia("f(1)")]) == [("all", [1, 2]), ("defining", [1])]
    @test rules([C.Snippet("other", "f = 1"), C.Snippet("untagged", "f(x) = x")]) == [("all", [2])]
    @test rules([C.Snippet("untagged", "some prose here")]) == []
    @test rules([C.Snippet("bare", "f(x) = x")]) == [("all", [1])]
    @test rules([C.Snippet("bare", "Sorry")]) == []
    html, indented = C.Snippet("html", "f(x) = x"), C.Snippet("indented", "f(x) = 2x")
    @test rules([C.Snippet("bare", "Here it is."), indented, html]) == [("all", [3])]
    @test rules([C.Snippet("untagged", "f(x) = 0"), indented, html]) == [("all", [1])]
    @test rules([C.Snippet("html", "sort"), indented]) == [("all", [2])]
    @test rules([C.Snippet("indented", "y = f(x)\nreturn y")]) == []
    @test rules([C.Snippet("bare", "Hello, world")]) == []
    @test rules([julia("# only a comment")]) == []
    @test rules([julia("struct A end"), julia("f(x) = 1"), julia("boom()"), julia("f(x) = 2")]) ==
          [("all", [1, 2, 3, 4]), ("defining", [1, 2, 4]), ("last_defining", [4])]
    @test rules([julia("helper(x) = x"), julia("f(x) = helper(x)"), julia("f(")])[2] == ("defining", [1, 2])
    @test :f in C.defined_names(Meta.parse("f(x)::Int where {T} = 1"))
    @test :f in C.defined_names(Meta.parse("\"doc\" f(x) = 1"))
    @test :F in C.defined_names(Meta.parse("Base.@kwdef mutable struct F{T} <: Any x::T end"))
    @test :f in C.defined_names(Meta.parse("module M\nf(x) = 1\nend"))
    @test :f in C.defined_names(Meta.parse("const f = x -> x"))
end

@testset "clean-up" begin
    cleaned(code) = C.clean(C.parse_code(code))
    code(cleaned) = [statement.code for statement in cleaned.statements]
    dropped = cleaned("using Dates, NoSuchPackage\nimport NoSuch: a, b\nusing Base.Threads\nusing .Own")
    @test dropped.dropped_imports == ["NoSuchPackage", "NoSuch"]
    @test code(dropped) == [:(using Dates), :(using Base.Threads), :(using .Own)]
    @test length(code(cleaned("using Pkg\nPkg.add(\"X\")"))) == 1
    tests = cleaned("f(x) = x\n@test f(1) == 1\nTest.@test f(1) == 2\n@testset \"a\" begin\n@test false\nend")
    @test length(code(tests)) == 1
    @test tests.dropped_tests == 3
    @test cleaned("macro m(ex)\n:(@test \$ex)\nend").dropped_tests == 0
    @test cleaned("module M\nusing NoSuchPackage\nend").dropped_imports == ["NoSuchPackage"]
end

@testset "a unit test" begin
    code = "f(x) = x + 1\nstruct P; x; end\nBase.:(==)(a::P, b::P) = a.x == b.x"
    passing = ["@test f(1) == 2", "@test f(1.0) ≈ 2.0", "@test f(1) ≈ 2.05 atol=0.1", "@test 1 < f(1) <= 2", "@test f(1) isa Int", "@test !isempty([f(1)])",
        "@test f(1) in (1, 2)", "@test f(1) == 2 && true", "@test_throws MethodError f(\"a\")", "@test_throws ErrorException(\"x\") error(\"x\")",
        "@test P(1) == P(1)", "@testset \"a\" begin\n    y = f(1)\n    @test y == 2\nend", "for i in 1:2\n    @test f(i) == i + 1\nend",
        "let\n    @test_throws MethodError f(nothing)\nend", "@testset for i in 1:2\n    @test f(i) > i\nend", "@test_skip f(1) == 3", "@test_broken f(1) == 3",
        "x = f(1)\n@test x == 2", "@test isequal(f(1), 2)", "@test all([f(1) == 2])", "@test [f(1)] == [2]", "@test Set([f(1)]) == Set([2])"]
    failing = ["@test f(1) == 3", "@test f(1) ≈ 3", "@test f(1) ≈ 2.5 atol=0.1", "@test 2 < f(1) < 3", "@test f(1) isa String", "@test isempty([f(1)])",
        "@test f(1) in (3, 4)", "@test f(1)", "@test nothing", "@test missing", "@test_throws ArgumentError f(\"a\")", "@test_throws MethodError f(1)",
        "@test_throws ErrorException(\"y\") error(\"x\")", "@test P(1) == P(2)", "@testset \"a\" begin\n    @test f(1) == 3\nend",
        "for i in 1:2\n    @test f(i) == 2\nend", "let\n    @test_throws ArgumentError f(nothing)\nend", "let\n    @test_throws MethodError f(1)\nend", "@test_broken f(1) == 2"]
    @test all(==("passed"), endings(code, passing))
    @test all(==("failed"), endings(code, failing))
    @test ending(code, "undefined_name") == "errored"
    @test ending(code, "@test undefined_name == 1") == "errored"
    @test ending(code, "x = 1 +") == "errored"
end

@testset "what was thrown while code was loaded is what `@test_throws` looks at" begin
    # Code that is included, and before Julia 1.7 a macro too, throws a LoadError around its own error.
    code = "f(code) = include_string(@__MODULE__, code)"
    @test ending(code, "@test_throws ErrorException f(\"error(1)\")") == "passed"
    @test ending(code, "let\n    @test_throws ErrorException f(\"error(1)\")\nend") == "passed"
    @test ending(code, "@test_throws LoadError f(\"error(1)\")") == "passed"
    @test ending(code, "@test_throws ArgumentError f(\"error(1)\")") == "failed"
    macros = "macro m()\n    throw(ArgumentError(\"no\"))\nend"
    @test ending(macros, "@test_throws ArgumentError macroexpand(@__MODULE__, :(@m))") == "passed"
end

@testset "`@assert` in a unit test is decided like `@test`" begin
    code = "f(x) = x + 1\nstruct P; x; end\nBase.:(==)(a::P, b::P) = a.x == b.x"
    passing = ["@assert f(1) == 2", "@assert(f(1) == 2, \"text\")", "Base.@assert f(1) == 2", "@assert 1 < f(1) <= 2", "@assert P(1) == P(1)", "@assert !isempty([f(1)])",
        "for i in 1:2\n    @assert f(i) == i + 1\nend", "let\n    @assert f(1) == 2 \"text\"\nend", "@testset \"a\" begin\n    @assert f(1) == 2\nend",
        # a function of the test that is expected to object, as Julia's own `@assert` does
        "above(x) = (@assert f(x) > 1; x)\n@test above(1) == 1\n@test_throws AssertionError above(0)",
        "try\n    @assert f(1) == 3\n    @test false\ncatch err\n    @test err isa AssertionError\nend"]
    failing = ["@assert f(1) == 3", "@assert f(1) == 3 \"text\"", "@assert 2 < f(1) < 3", "@assert P(1) == P(2)", "@assert isempty([f(1)])", "@assert f(1)",
        "for i in 1:2\n    @assert f(i) == 2\nend", "let\n    @assert f(1) > 2\nend", "@testset \"a\" begin\n    @assert f(1) == 3\nend",
        "below(x) = @assert f(x) < 2\nbelow(1)"]
    @test all(==("passed"), endings(code, passing))
    @test all(==("failed"), endings(code, failing))
    said(test) = only_one(named(frames(job(code; tests = [test])), "block"))[4:5]
    @test said("@assert f(1) == 3") == ["TestFailed", "got 2 == 3"]
    @test said("@assert f(1) == 3 \"plus one\"") == ["TestFailed", "plus one: got 2 == 3"]
    @test said("for i in 1:2\n    @assert f(i) == 2 \"plus one\"\nend") == ["TestFailed", "plus one: got 3 == 2"]
    @test said("@assert f(1) == 3 string(\"never \", \"run\")") == ["TestFailed", "got 2 == 3"]
    @test ending(code, "@assert undefined_name == 1") == "errored"
    @test ending("f(x) = @assert x == 2", "f(1)") == "errored"         # the candidate's own objection is its error
    @test endings("f(x) = x + 1", ["g(x) = @assert f(x) == 2", "g(1)", "g(2)"]) == ["passed", "passed", "failed"]
end

@testset "`@assert` is Julia's own in the candidate's code and in examples" begin
    found = frames(job("f(x) = x\n@assert f(1) == 1"; examples = ["@assert f(1) == 1", "@assert false \"no\""]))
    @test only_one(named(found, "main"))[1] == "passed"
    @test [block[3] for block in named(found, "block")] == ["passed", "errored"]
    @test only_one(named(frames(job("@assert 1 == 2")), "main"))[1:2] == ["errored", "AssertionError"]
end

@testset "what a candidate redefines does not move a verdict, and is named" begin
    for (code, test) in [("f(x) = 0\n==(a, b) = true", "@test f(1) == 2"),
                         ("f(x) = 0\nmacro test(ex...)\ntrue\nend", "@test f(1) == 2"),
                         ("f(x) = 0\n==(a, b) = true", "@assert f(1) == 2"),
                         ("f(x) = 0\n==(a, b) = true", "for i in 1:1\n    @assert f(i) == 2\nend"),
                         ("f(x) = 0\n==(a, b) = true", "g(x) = @assert f(x) == 2\ng(1)"),
                         ("f(x) = 0\nmacro assert(ex...)\ntrue\nend", "@assert f(1) == 2"),
                         ("f(x) = 0\nmacro assert(ex...)\ntrue\nend", "let\n    @assert f(1) == 2\nend"),
                         ("f(x) = 0\nstruct M end\nBase.:(==)(::M, ::Any) = true\nf(x) = M()", "@test f(1) == 2")]
        @test ending(code, test) == "failed"
    end
    done(code, tests) = only_one(named(frames(job(code; tests = tests)), "done"))
    # Nothing else gives this one away: all its methods are of its own type. Later versions cannot leave one open.
    if isdefined(Test, :push_testset)
        quiet = "using Test\nstruct Quiet <: Test.AbstractTestSet end\nTest.push_testset(Quiet())\nf(x) = x"
        found = done(quiet, ["@test f(1) == 1"])
        Test.pop_testset()
        @test found == ["left a test set of its own on Test's stack"]
    end
    @test ending("f(x) = M()\nstruct M end\nhonest() = !any(frame -> frame.func === :asked_safely, stacktrace())\nBase.:(==)(::M, ::Any) = honest()", "@test f(1) == 2") == "failed"
    @test isempty(done("f(x) = x\nstruct P end\nBase.show(io::IO, ::P) = print(io, 1)\nBase.length(::P) = 1", ["@test f(1) == 1"]))
end

@testset "main code" begin
    main(code) = only_one(named(frames(job(code)), "main"))
    @test main("f(x) = x")[1] == "passed"
    @test main("f(x) = x\nf()")[1:2] == ["errored", "MethodError"]
    @test main("x = 1\n\nerror(\"boom\")")[2:4] == ["ErrorException", "boom", "3"]
    @test main("f(x) = x\n[1, 2] += [a = 1]\n")[7] == "0"             # parses, and cannot be lowered
    @test only_one(named(frames(job("f(x) = (x")), "parsed"))[1] == "0"
    @test named(frames(job("f(x) = x"; imports = ["NoSuchPackage"])), "missing") == [["NoSuchPackage"]]
    @test main("\"\"\"Docs with `ticks`.\"\"\"\nf(x) = x")[1] == "passed"
end

@testset "a program's own module is its Main, and its exit at the end is no failure" begin
    @test endings("g(x) = 2x\nf(x) = Main.g(x)\n@eval Main h(x) = 3x\ninclude_string(Main, \"k(x) = 4x\")", ["@test f(1) == 2", "@test h(1) == 3", "@test k(1) == 4"]) == fill("passed", 3)
    @test ending("module M\nexport f\nf(x) = x\nend\nusing Main.M", "@test f(1) == 1") == "passed"
    @test ending("module A\ng(x) = x\nmodule B\nimport Main.A: g\nf(x) = g(x)\nend\nend\nusing Main.A.B: f", "@test f(1) == 1") == "passed"
    @test ending("f(x) = x\nmain() = 0\nexit(main())", "@test f(1) == 1") == "passed"
    @test ending("f(x) = x\nexit()", "@test f(1) == 1") == "passed"
end

@testset "shared structure is looked at once" begin
    scope = C.Scope(C.fresh_module(), C.fresh_module(), :f)
    tree = Any[1]
    foreach(_ -> tree = Any[tree, tree], 1:18)
    @test C.is_plain(scope, tree)
end

@testset "setup and teardown surround each test, and teardown runs after a failure too" begin
    found = frames(job("log = Int[]\nf(x) = x"; tests = ["@test f(1) == 2", "@test log == [1, 2, 1]"], around = ("push!(log, 1)", "push!(log, 2)")))
    @test [block[3] for block in named(found, "block")] == ["failed", "passed"]
end

@testset "a skipped block is not run, and the others keep their numbers" begin
    found = frames(job("f(x) = x"; tests = ["@test f(1) == 1", "error()", "@test f(2) == 2"], skip = [2]))
    @test [block[2] for block in named(found, "block")] == ["0", "2"]
end

@testset "an error is shown without calling the candidate" begin
    code = "struct E <: Exception end\nBase.showerror(io::IO, ::E) = error(\"called\")\nBase.show(io::IO, ::E) = error(\"called\")\nthrow(E())"
    @test only_one(named(frames(job(code)), "main"))[2:3] == ["E", ""]
    @test C.brief([1, 2]) == "[1, 2]"
    @test C.brief("a\"b") == "\"a\\\"b\""
    @test C.brief((1, :a, nothing)) == "(1, :a, nothing)"
    @test C.describe(KeyError("k"))[2] == "key \"k\" not found"
    @test length(C.brief("x"^10_000)) < 500
end

@testset "everything in the toolbox works, and leaves verdicts as they are" begin
    home = C.fresh_module()
    @test length(C.toolbox_calls()) > 100
    @test [call for call in C.toolbox_calls() if C.attempt(() -> Core.eval(home, call)) !== nothing] == []
    code = "f(v) = sort(unique(v); rev = true)[2]"
    before = endings(code, ["@test f([1, 2, 3]) == 2", "@test f([1, 1, 2]) == 2", "@test f([1]) == 1"])
    C.rehearse_toolbox()
    @test before == endings(code, ["@test f([1, 2, 3]) == 2", "@test f([1, 1, 2]) == 2", "@test f([1]) == 1"]) == ["passed", "failed", "errored"]
end

# ---- values as bytes

send(values...) = C.encode_values(Any[values...], value -> error("no way to send a $(typeof(value))"))
received(values...) = C.decode_values(send(values...))
equal(a, b) = typeof(a) === typeof(b) && isequal(a, b)
equal(a::Exception, b) = typeof(a) === typeof(b) && all(i -> isequal(getfield(a, i), getfield(b, i)), 1:nfields(a))

@testset "a value is the same on the other side" begin
    using Dates, LinearAlgebra
    values = Any[nothing, missing, true, 1, 0x01, Int8(-3), Int128(5), 1.5, NaN, -0.0, 1f0, Float16(1), 'a', "hé\0", SubString("abc", 2), :sym, big(2)^100, -big(3), big"1.1",
        (), (1, "a", :b), (a = 1, b = "x"), NamedTuple(), 1 => 2, 3 // 4, 1 + 2im, 1:3, 3:1, 1:2:7, 1.0:0.1:2.0, LinRange(1, 2, 3), Base.OneTo(4), [1, 2], Int[], [1.0 2; 3 4], fill(1), zeros(0, 3),
        ["a"], Any[1, "a", nothing], Union{Int,Missing}[1, missing], [[1], [2]], Real[1, 2.0], trues(3), falses(2, 2), Dict("a" => Dict("b" => [1])), Dict{Any,Any}(), Dict(missing => 1), Set([1, 2]),
        Date(2020), DateTime(2020, 1, 1, 2), Dates.Time(1, 2), Day(3), Year(1) + Day(2), r"a+"i, Int, Vector{Int}, Vector, Dict{String,Any}, Union{Int,String}, Tuple{Int,String}, AbstractArray, Union{},
        CartesianIndex(1, 2), Some(1), :, ==(3), Base.Fix1(+, 2), typeof(sin), v"1.2.3", :(x + 1), QuoteNode(:a), sin, [1 2]', Diagonal([1, 2]), ArgumentError("x"), KeyError(:a), DivideError(), BoundsError([1], 2), ErrorException("e")]
    @test [value for value in values if !equal(received(value)[1], value)] == []
    shared = [1]
    a, b, c = received(shared, shared, [shared])
    @test a === b === c[1]
    set, a, b, again = received(Set([1]), shared, shared, Set([2]))
    @test set == Set([1]) && a === b == [1] && again == Set([2])
    @test received([1:0, Any[], "a"])[1] == [1:0, Any[], "a"]
    @test received(AbstractVector, Vector{T} where T<:Real, Dict{K,Vector{K}} where K)  == Any[AbstractVector, Vector{<:Real}, Dict{K,Vector{K}} where K]
    circle = Any[]
    push!(circle, circle)
    again = received(circle)[1]
    @test again[1] === again
    undefined = Vector{String}(undef, 2)
    @test !isassigned(received(undefined)[1], 1)
end

@testset "what is not plain data is not sent" begin
    struct Own end
    deep = foldl((inner, _) -> Any[inner], 1:500, init = 1)
    for value in Any[Own(), Any[1, Own()], Own[], Dict(1 => Own()), x -> x, deep, Own, stdout, Ref(Own())]
        @test_throws ErrorException send(value)
    end
    bytes = C.encode_values(Any[[1], Own(), [2]], value -> C.Handle(7, "Own", Any))
    @test C.decode_values(bytes) == Any[[1], C.Handle(7, "Own", Any), [2]]
end

@testset "bytes that nobody wrote are refused, and nothing else happens" begin
    using Random
    dice = MersenneTwister(1)
    messages = [send(value) for value in Any[[1, 2], Dict("a" => (1, 2.0)), Any[1, "a", :b, 1:3, 3 // 4], (a = 1, b = Date(2020)), Set(["x"]), r"a", Union{Int,Missing}[1, missing], :(a + b), BitArray([true])]]
    outcomes = map(1:5000) do _
        bytes = copy(rand(dice, messages))
        foreach(_ -> bytes[rand(dice, 1:length(bytes))] = rand(dice, UInt8), 1:rand(dice, 1:3))
        try C.decode_values(bytes); :value catch err; err isa C.BadMessage ? :refused : err end
    end
    @test Set(outcomes) == Set([:value, :refused])
    for unsound in Any[(Rational{Int}, (2, 4)), (UnitRange{Int}, (3, 1)), (StepRange{Int,Int}, (1, 0, 5)), (Base.OneTo{Int}, (-5,)), (Pair{Int,Int}, (1, "a"))]
        T, fields = unsound
        e = C.Encoder()
        C.put32!(e.bytes, 1)
        push!(e.bytes, C.STRUCT)
        C.put_type!(e, T, 0)
        C.put_fields!(e, 0x00, fields, 0)
        @test_throws C.BadMessage C.decode_values(e.bytes)
    end
end

# ---- tests taken apart

function parts(test; name = :f, setup = "")
    home = C.fresh_module()
    return first(C.prepare_test(home, name, Set{Symbol}(), C.parse_code(setup), C.parse_code(test), C.parse_code("")))
end
theirs(test; keywords...) = join([string(st.code) for st in parts(test; keywords...).theirs], "\n")

@testset "the candidate is not told what is expected" begin
    for test in ["@test f(3) == 42", "@test 42 == f(3)", "@test f(3) ≈ 42 atol=0.1", "@test f(3) in (42, 43)", "@test f(3) isa Int && f(4) != 42", "expected = 42\n@test f(3) == expected",
                 "for (x, y) in [(3, 42), (4, 43)]\n    @test f(x) == y\nend", "@test all(f(x) == 42x for x in 1:2)", "@test startswith(f(3), \"42\")", "@test length(f(3)) == 42", "@test isempty(f(3)) || f(4) == 42",
                 "let x = f(3)\n    @test x == 42\nend", "@testset \"42\" begin\n    @test f(3) == 42\nend", "@test [f(x) for x in 3:3] == [42]", "@test_throws DomainError(42) f(3)", "@assert f(3) == 42 \"42\""]
        @test parts(test) isa C.SplitTest
        @test !occursin("42", theirs(test))
    end
    for test in ["@test all(f(n) == 42 for n in 1:3 for m in 1:2)", "@test all(f(n) == 42 for n in 1:3 if isodd(n))", "@test !any(f(n) == 42 for n in 1:3)"]
        # The helper's `n` is its own.
        @test !occursin("42", theirs(test; setup = "helper(n, q = 1; k = 2) = (s = f(n); for i in 1:n; s += i; end; other(n = s, k = k); (n = s, q = q))"))
    end
    @test !occursin("P#", theirs("@test f(P()) == 42"; setup = "struct P end\nBase.length(::P) = 3\nBase.show(io::IO, p::P) = print(io, p)"))
    @test !occursin("oracle", theirs("@test f(3) == oracle(3)"; setup = "oracle(x) = 42"))
    @test occursin("helper", theirs("@test helper(3) == 42"; setup = "helper(x) = f(x)"))
    @test parts("@test all(g -> f(g), f(3))") isa String
end
