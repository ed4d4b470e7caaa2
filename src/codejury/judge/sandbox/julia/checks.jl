# `@test` and its family, decided by the judge: its own parsing, its own comparison, in the world from
# before the candidate. What the candidate did to `==`, `@test` or Test cannot be seen from here.
#
# In a unit test `@assert` is a check as well, and is decided like `@test`. In an example it is Julia's own.

struct TestFailed <: Exception
    message::String
end

const ASSERT = Symbol("@assert")

"Run one statement of an example or, where `asserts`, of a unit test; an exception means it failed."
function run_statement(scope::Scope, @nospecialize(ex), asserts::Bool = false)
    if is_check(ex, asserts)
        run_test_macro(scope, ex, asserts)
    elseif holds_checks(ex, asserts)
        Core.eval(scope.home, rewrite_tests(Referee(scope, asserts), ex))
    else
        Core.eval(scope.home, ex)
    end
    return nothing
end

is_check(@nospecialize(ex), asserts::Bool) = ex isa Expr && ex.head === :macrocall &&
    (macro_name(ex) in TEST_MACROS || (asserts && macro_name(ex) === ASSERT))

holds_checks(@nospecialize(ex), asserts::Bool) = ex isa Expr && !(ex.head in (:quote, :inert)) &&
    (is_check(ex, asserts) || any(arg -> holds_checks(arg, asserts), ex.args))

function run_test_macro(scope::Scope, ex::Expr, asserts::Bool)
    kind = macro_name(ex)
    arguments = Any[arg for arg in ex.args[2:end] if !(arg isa LineNumberNode)]
    if kind === Symbol("@test")
        run_test(scope, arguments)
    elseif kind === ASSERT
        run_assert(scope, arguments)
    elseif kind === Symbol("@test_throws")
        run_test_throws(scope, arguments)
    elseif kind === Symbol("@test_broken")
        passes(() -> run_test(scope, arguments)) && throw(TestFailed("marked as broken, and it passes"))
    elseif kind !== Symbol("@test_skip")
        Core.eval(scope.home, rewrite_tests(Referee(scope, asserts), ex))
    end
end

passes(f) = try f(); true catch; false end

# ---- @test

const COMPARISONS = (:(==), :(!=), :(≠), :(===), :(!==), :isequal, :<, :(<=), :(≤), :>, :(>=), :(≥), :isapprox, :(≈), :(≉), :in, :(∈), :(∉), :isa, :issubset, :(⊆))

"The judge's own function for a comparison, whatever the candidate's module calls by that name."
function comparison(op::Symbol)
    op === :(==) && return ==
    op === :isequal && return isequal
    op === :(===) && return ===
    op in (:isapprox, :(≈)) && return isapprox
    op === :(≉) && return ≉
    op in (:(!=), :(≠)) && return !=
    op === :(!==) && return !==
    op === :< && return <
    op in (:(<=), :(≤)) && return <=
    op === :> && return >
    op in (:(>=), :(≥)) && return >=
    op in (:in, :(∈)) && return in
    op === :(∉) && return ∉
    op === :isa && return isa
    return issubset
end

is_comparison(@nospecialize(ex)) = ex isa Expr && ex.head === :call && length(ex.args) == 3 &&
    ex.args[1] isa Symbol && ex.args[1] in COMPARISONS && !any(is_splat_or_keyword, ex.args)

is_splat_or_keyword(@nospecialize(arg)) = arg isa Expr && arg.head in (:..., :kw, :parameters)

function run_test(scope::Scope, arguments::Vector{Any})
    isempty(arguments) && throw(TestFailed("@test without an expression"))
    ex = arguments[1]
    options = arguments[2:end]           # @test a ≈ b atol=0.1
    if is_comparison(ex)
        keywords = Any[(arg.args[1]::Symbol, value_of(scope, arg.args[2])) for arg in options if arg isa Expr && arg.head === :(=)]
        check_pair(scope, ex.args[1], value_of(scope, ex.args[2]), value_of(scope, ex.args[3]), keywords)
    elseif ex isa Expr && ex.head === :comparison
        check_chain(scope, ex.args)
    else
        check_truth(value_of(scope, ex))
    end
end

"`@assert condition text`: as `@test condition`, and the text stands before what the judge says."
function run_assert(scope::Scope, arguments::Vector{Any})
    try
        run_test(scope, arguments[1:min(1, end)])
    catch err
        err isa TestFailed || rethrow()
        throw(TestFailed(with_text(assert_text(arguments), err.message)))
    end
end

# A text that has to be computed is not: it could run code of the candidate's.
assert_text(arguments::Vector{Any}) = length(arguments) > 1 && arguments[2] isa String ? arguments[2]::String : ""

with_text(text::String, message::String) = isempty(text) ? message : string(text, ": ", message)

function check_truth(@nospecialize(value))
    value === true && return
    value === false && throw(TestFailed("the expression is false"))
    throw(TestFailed(string("the expression is ", brief(value), ", not a Bool")))
end

function check_pair(scope::Scope, op::Symbol, @nospecialize(left), @nospecialize(right), keywords = Any[])
    compare(scope, comparison(op), left, right, keywords) === true && return
    throw(TestFailed(string("got ", brief(left), " ", op, " ", brief(right))))
end

# a < b <= c: each value once, as Julia does
function check_chain(scope::Scope, parts::Vector{Any})
    left = value_of(scope, parts[1])
    for i in 2:2:length(parts)-1
        right = value_of(scope, parts[i+1])
        parts[i] in COMPARISONS || throw(TestFailed("cannot compare with $(parts[i])"))
        check_pair(scope, parts[i], left, right)
        left = right
    end
end

"""
Plain data is compared by methods from before the candidate. Where a type of the candidate's takes
part its own method must decide; if only one side is its own, a line-up exposes a value that claims
to equal whatever it meets.
"""
function compare(scope::Scope, f::Function, @nospecialize(left), @nospecialize(right), keywords = Any[])
    plain = (is_plain(scope, left), is_plain(scope, right))
    if plain[1] && plain[2]
        return in_world(scope.world, apply_with, f, left, right, keywords)
    end
    ask(a, b) = isempty(keywords) ? Base.invokelatest(f, a, b) : Base.invokelatest(f, a, b; keywords...)
    plain[1] != plain[2] && f in (==, isequal, isapprox) || return ask(left, right)
    # What is close by may be equal within a tolerance.
    near = f === isapprox ? Any[] : near_decoys(plain[1] ? left : right)
    return plain[1] ? line_up(x -> ask(x, right), right, left, near) : line_up(x -> ask(left, x), left, right, near)
end

apply_with(@nospecialize(f), @nospecialize(left), @nospecialize(right), keywords) =
    isempty(keywords) ? f(left, right) : f(left, right; keywords...)

struct Nobody end       # a type no candidate can know of in advance

"""
Ask a candidate's value whether it equals the `honest` one, in a row of others and never first. A value
that equals all of one kind, those close by or those far off, equals anything.
"""
function line_up(ask, @nospecialize(suspect), @nospecialize(honest), near::Vector{Any})
    dice = Random.RandomDevice()
    far = far_decoys(honest, dice)
    others = Random.shuffle(dice, [near; far])
    place = rand(dice, 1:length(others))       # the honest one is asked after so many others
    asked = Any[others[1:place]; Any[honest]; others[place+1:end]]
    # One and the same call for all of them: the stack tells nothing about which one is honest.
    said = Any[try ask(value) catch err; Thrown(err) end for value in asked]
    answer = said[place+1]
    deleteat!(said, place + 1)
    for kind in (near, far)
        claims = Bool[said[i] === true for i in 1:length(others) if any(decoy -> decoy === others[i], kind)]
        isempty(claims) || !all(claims) ||
            throw(TestFailed(string("the value of type ", type_name(typeof(suspect)), " equals anything")))
    end
    answer isa Thrown && throw(answer.value)
    return answer
end

# Texts like an honest one, by nothing to be told from it.
function text_decoys(honest::AbstractString, dice)
    letters = collect(string(honest, "abcdefghijklmnopqrstuvwxyz"))
    changed = collect(String(honest))
    isempty(changed) || (changed[rand(dice, 1:length(changed))] = rand(dice, letters))
    longer = String(honest) * string(rand(dice, letters))
    return Any[String(changed), longer, chop(String(honest)), join(Random.shuffle(dice, collect(longer)))]
end

# Values of the same type as the honest one, and unlike it.
function near_decoys(@nospecialize(honest), depth::Int = 0)
    found = Any[]
    depth > 3 && return found
    propose(make) = try push!(found, make()) catch end
    honest isa Bool && push!(found, !honest)
    honest isa Number && !(honest isa Bool) && foreach(n -> propose(() -> oftype(honest, honest + oftype(honest, n))), (1, 2, 3, 7))
    honest isa AbstractString && append!(found, text_decoys(honest, Random.RandomDevice()))
    honest isa Char && append!(found, Any['a', 'b', 'Z', '0'])
    honest isa Symbol && append!(found, Any[Symbol(honest, "x"), Symbol("x", honest)])
    honest isa Array && near_arrays!(propose, honest, depth)
    honest isa AbstractDict && near_dicts!(propose, honest, depth)
    honest isa AbstractSet && near_sets!(propose, honest, depth)
    isempty(found) && isbitstype(typeof(honest)) | isa(honest, Union{Tuple,NamedTuple,Pair}) && near_structs!(propose, honest, depth)
    return Any[decoy for decoy in found if !isequal(decoy, honest)]
end

function near_arrays!(propose, honest::Array, depth::Int)
    for i in unique((1, length(honest))), decoy in (isempty(honest) ? () : near_decoys(honest[i], depth + 1))
        propose(() -> (changed = copy(honest); changed[i] = decoy; changed))
    end
    honest isa Vector || return
    foreach(extra -> propose(() -> push!(copy(honest), extra)), isempty(honest) ? (1, "x", 'x', :x, nothing) : (honest[end],))
    isempty(honest) || propose(() -> honest[1:end-1])
end

function near_dicts!(propose, honest::AbstractDict, depth::Int)
    for (key, value) in Iterators.take(honest, 2)
        propose(() -> delete!(copy(honest), key))
        foreach(decoy -> propose(() -> (changed = copy(honest); changed[key] = decoy; changed)), near_decoys(value, depth + 1))
    end
    isempty(honest) && foreach((key, value) -> propose(() -> (changed = copy(honest); changed[key] = value; changed)), (1, "x", :x), (1, 1, 1))
end

function near_sets!(propose, honest::AbstractSet, depth::Int)
    for element in Iterators.take(honest, 2)
        propose(() -> delete!(copy(honest), element))
        foreach(decoy -> propose(() -> push!(copy(honest), decoy)), near_decoys(element, depth + 1))
    end
    isempty(honest) && foreach(extra -> propose(() -> push!(copy(honest), extra)), (1, "x", 'x', :x))
end

# Dates, tuples, ranges, pairs: the same type with one field changed.
function near_structs!(propose, @nospecialize(honest), depth::Int)
    T, fields = typeof(honest), Any[getfield(honest, i) for i in 1:nfields(honest)]
    for i in 1:length(fields), decoy in near_decoys(fields[i], depth + 1)
        typeof(decoy) <: fieldtype(T, i) || continue
        propose(() -> (changed = copy(fields); changed[i] = decoy; ccall(:jl_new_structv, Any, (Any, Ptr{Any}, UInt32), T, changed, length(changed))))
    end
end

function far_decoys(@nospecialize(honest), dice)
    honest isa Bool && return Any[Nobody()]
    honest isa Integer && return Any[rand(dice, Int32) % typeof(honest) for _ in 1:8]
    honest isa Real && return Any[rand(dice, Float64) * 1.0e6 for _ in 1:8]
    honest isa AbstractString && return Any[Random.randstring(dice, 'a':'z', max(1, length(honest))) for _ in 1:8]
    honest isa Symbol && return Any[Symbol("decoy", rand(dice, UInt32)) for _ in 1:8]
    return Any[Nobody(), [Nobody()], (Nobody(), Nobody()), "decoy"]
end

"""
The value of an expression in a test. Functions that are not the candidate's, applied to plain data,
run in the judge's world: `isempty(answer(x))` asks the `isempty` that Julia came with.
"""
function value_of(scope::Scope, @nospecialize(ex))
    f = trusted_callee(scope, ex)
    f === nothing && return Core.eval(scope.home, ex)
    values = Any[value_of(scope, arg) for arg in ex.args[2:end]]
    all(value -> is_plain(scope, value), values) || return Base.invokelatest(f, values...)
    try
        return in_world(scope.world, f, values...)
    catch err
        # a closure hidden deep in a value needs the newer world
        err isa MethodError || rethrow()
    end
    return Base.invokelatest(f, values...)
end

function trusted_callee(scope::Scope, @nospecialize(ex))
    ex isa Expr && ex.head === :call && !any(is_splat_or_keyword, ex.args) || return nothing
    f = ex.args[1]
    f isa Symbol && (f = is_defined(scope.home, f) ? Core.eval(scope.home, f) : nothing)
    return f isa Function && !is_own(scope, typeof(f).name.module) && !(f in (eval, include)) ? f : nothing
end

# ---- @test_throws

function run_test_throws(scope::Scope, arguments::Vector{Any})
    length(arguments) == 2 || throw(TestFailed("@test_throws takes what is expected and an expression"))
    expected = Core.eval(scope.home, arguments[1])
    err = try
        Core.eval(scope.home, arguments[2])
        throw(TestFailed(string("expected ", brief(expected), ", but nothing was thrown")))
    catch thrown
        thrown
    end
    check_thrown(scope, expected, err)
end

function check_thrown(scope::Scope, @nospecialize(expected), @nospecialize(err))
    err isa TestFailed && throw(err)
    matches_error(scope, expected, err) && return
    type, message = describe(err)
    throw(TestFailed(string("expected ", brief(expected), ", got ", type, isempty(message) ? "" : ": ", message)))
end

function matches_error(scope::Scope, @nospecialize(expected), @nospecialize(err))
    expected isa Type && return is_kind_of(typeof(err), expected) || (err isa LoadError && err.error isa expected)
    expected isa AbstractString && return occursin(expected, message_of(err))
    expected isa Regex && return occursin(expected, message_of(err))
    typeof(expected) === typeof(err) || return false
    return all(i -> compare(scope, isequal, getfield(expected, i), getfield(err, i)) === true, fields_that_count(expected))
end

# From 1.12 on a field that is not there has an exception of its own; Test takes it for what it was before.
is_kind_of(@nospecialize(T), @nospecialize(expected)) = T <: expected || (expected === ErrorException && T === FIELD_ERROR)
const FIELD_ERROR = isdefined(Core, :FieldError) ? Core.FieldError : ErrorException

# `UndefVarError(:x)` says nothing about where and when, which are fields from 1.11 on.
fields_that_count(@nospecialize(expected)) =
    Int[i for i in 1:nfields(expected) if isdefined(expected, i) && !(expected isa UndefVarError && fieldname(UndefVarError, i) === :world)]

# ---- tests inside loops, `let`, `@testset`: their place in the code is kept, the decision is taken out

"Called from test code, that is, in the newest world; decides in the judge's."
struct Referee
    scope::Scope
    asserts::Bool      # in a unit test: `@assert` is a check
end

(referee::Referee)(::Val{:truth}, @nospecialize(value)) = in_world(referee.scope.world, check_truth, value)
(referee::Referee)(::Val{:pair}, op::Symbol, @nospecialize(left), @nospecialize(right), keywords...) =
    in_world(referee.scope.world, check_pair, referee.scope, op, left, right, Any[keywords...])
(referee::Referee)(::Val{:thrown}, @nospecialize(expected), @nospecialize(err)) =
    in_world(referee.scope.world, check_thrown, referee.scope, expected, err)
(referee::Referee)(::Val{:assert}, text::String, check...) =
    in_world(referee.scope.world, decide_assertion, referee, text, check)

# What the judge said of the last `@assert` inside other code that it decided against.
const REFUSED = Ref{Any}(nothing)

"""
Decide an `@assert` that stands in other code. It throws what Julia's own would: a function of the tests
may be expected to throw an AssertionError, and then nothing has failed.
"""
function decide_assertion(referee::Referee, text::String, @nospecialize(check))
    try
        referee(check...)
    catch err
        err isa TestFailed || rethrow()
        REFUSED[] = with_text(text, err.message)
        throw(AssertionError(REFUSED[]))
    end
    return nothing
end

"An AssertionError of the judge's own making that nothing has caught is a failed test, and no error."
as_failure(@nospecialize(err)) =
    err isa AssertionError && err.msg isa String && err.msg === REFUSED[] ? TestFailed(err.msg) : err

# invoke_in_world came with 1.6. Before it the world age is the second word of the thread's state, and
# is written by intrinsics, which no candidate can redefine.
if isdefined(Base, :invoke_in_world)
    in_world(world::UInt, @nospecialize(f), args...) = Base.invoke_in_world(world, f, args...)
else
    @noinline function in_world(world::UInt, @nospecialize(f), args...)
        state = ccall(:jl_get_ptls_states, Ptr{UInt}, ())
        newest = Core.Intrinsics.pointerref(state, 2, 1)
        Core.Intrinsics.pointerset(state, world, 2, 1)
        try
            return f(args...)
        finally
            Core.Intrinsics.pointerset(state, newest, 2, 1)
        end
    end
end

function rewrite_tests(referee::Referee, @nospecialize(ex))
    ex isa Expr && !(ex.head in (:quote, :inert)) || return ex
    if is_check(ex, referee.asserts)
        return rewrite_test(referee, macro_name(ex), Any[arg for arg in ex.args[2:end] if !(arg isa LineNumberNode)])
    end
    return Expr(ex.head, Any[rewrite_tests(referee, arg) for arg in ex.args]...)
end

function rewrite_test(referee::Referee, kind::Symbol, arguments::Vector{Any})
    kind === Symbol("@test") && return rewrite_plain_test(referee, arguments)
    kind === ASSERT && return rewrite_assert(referee, arguments)
    kind === Symbol("@test_throws") && length(arguments) == 2 && return rewrite_throws(referee, arguments...)
    kind === Symbol("@test_skip") && return nothing
    kind === Symbol("@testset") && return rewrite_testset(referee, arguments)
    # logs and warnings are Test's own business; its macros are named by value, not looked up
    return Expr(:macrocall, GlobalRef(Test, kind), LineNumberNode(1, :answer), arguments...)
end

function rewrite_plain_test(referee::Referee, arguments::Vector{Any})
    isempty(arguments) && return nothing
    ex = arguments[1]
    is_comparison(ex) || return Expr(:call, referee, Val(:truth), ex)
    keywords = Any[Expr(:tuple, QuoteNode(arg.args[1]), arg.args[2]) for arg in arguments[2:end] if arg isa Expr && arg.head === :(=)]
    return Expr(:call, referee, Val(:pair), QuoteNode(ex.args[1]), ex.args[2], ex.args[3], keywords...)
end

function rewrite_assert(referee::Referee, arguments::Vector{Any})
    isempty(arguments) && return nothing
    decision = rewrite_plain_test(referee, arguments[1:1])
    return Expr(:call, referee, Val(:assert), assert_text(arguments), decision.args[2:end]...)
end

function rewrite_throws(referee::Referee, @nospecialize(expected), @nospecialize(ex))
    err = gensym(:err)
    missed = TestFailed("nothing was thrown")
    attempt = Expr(:try, Expr(:block, ex, missed), err, Expr(:block, err))
    return Expr(:call, referee, Val(:thrown), expected, attempt)
end

# The body of a @testset is a scope of its own; its loop form stays a loop.
function rewrite_testset(referee::Referee, arguments::Vector{Any})
    isempty(arguments) && return nothing
    body = rewrite_tests(referee, arguments[end])
    body isa Expr && body.head === :for && return body
    return Expr(:let, Expr(:block), Expr(:block, body))
end
