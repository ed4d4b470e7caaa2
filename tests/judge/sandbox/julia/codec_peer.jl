# Sends values through the codec, for tests that make them up. Reads a request a line, and writes a reply a line.
#
#   value HEX         the source of a value: is it the same on the other side?           same | other | unsendable
#   bytes HEX         a message: what is made of it?                                      values | refused
#   random SEED N     N values made up here, each sent, and then damaged ten times:       sent, values, refused, worst seconds
#
# Anything else that happens ends the process, with a trace.
module Peer

using Dates, LinearAlgebra, Random
include(joinpath(ARGS[1], "Codejury.jl"))
const C = Codejury

message(value) = C.encode_values(Any[value], _ -> throw(C.Unencodable()))

# By parts, since `isequal` does not look into all, and not at what an array lacks.
function same(@nospecialize(a), @nospecialize(b))
    typeof(a) === typeof(b) || return false
    a isa Array && return size(a) == size(b) && all(i -> isassigned(a, i) ? isassigned(b, i) && same(a[i], b[i]) : !isassigned(b, i), 1:length(a))
    a isa Dict && return length(a) == length(b) && all(key -> haskey(b, key) && same(a[key], b[key]), keys(a))
    a isa Set && return length(a) == length(b) && all(x -> any(y -> same(x, y), b), a)
    a isa Union{AbstractString,Regex,BigInt,BigFloat,BitArray,Type} && return isequal(a, b)
    return nfields(a) == 0 ? isequal(a, b) : all(i -> same(getfield(a, i), getfield(b, i)), 1:nfields(a))
end

function outcome(bytes)
    try
        C.decode_values(bytes)
        return :values
    catch err
        err isa C.BadMessage || rethrow()
        return :refused
    end
end

function look_at(value)
    bytes = try
        message(value)
    catch err
        err isa C.Unencodable || rethrow()
        return :unsendable
    end
    return same(value, C.decode_values(bytes)[1]) ? :same : :other
end

# ---- values made up at random

const LEAVES = [
    d -> nothing, d -> missing, d -> rand(d, Bool), d -> rand(d, Int), d -> rand(d, -3:3), d -> rand(d, UInt8), d -> rand(d, Int128), d -> randn(d), d -> rand(d, [NaN, Inf, -0.0, 1e300]),
    d -> rand(d, Float32), d -> Float16(rand(d)), d -> rand(d, Char), d -> randstring(d, rand(d, 0:8)), d -> String(rand(d, UInt8, rand(d, 0:6))), d -> SubString("abcdef", rand(d, 1:6)), d -> Symbol(randstring(d, 3)),
    d -> big(rand(d, Int))^rand(d, 0:9), d -> BigFloat(randn(d)), d -> rand(d, -9:9) // rand(d, 1:9), d -> complex(rand(d, 1:9), rand(d, 1:9)), d -> 1:rand(d, 0:9), d -> rand(d, 1:9):rand(d, 1:3):rand(d, 1:30),
    d -> range(randn(d), stop = randn(d), length = rand(d, 2:9)), d -> LinRange(randn(d), randn(d), rand(d, 2:9)), d -> Date(2000) + Day(rand(d, 1:9999)), d -> DateTime(2000) + Second(rand(d, Int32)),
    d -> Dates.Time(rand(d, 0:23)), d -> Day(rand(d, 1:9)) + Month(rand(d, 1:9)), d -> Regex(randstring(d, 'a':'f', 3), rand(d, ["", "i", "m", "x"])), d -> rand(d, [Int, String, Vector{Int}, Dict, Union{Int,Missing}, Tuple{Int}]),
    d -> rand(d, [sin, +, isempty, uppercase]), d -> rand(d, [ArgumentError("x"), KeyError(1), DivideError(), DomainError(-1, "y")]), d -> VersionNumber(rand(d, 0:9), 2), d -> CartesianIndex(rand(d, 1:9), 2),
    d -> rand(d, Int, rand(d, 0:5)), d -> rand(d, 2, rand(d, 0:3)), d -> bitrand(d, rand(d, 0:70)), d -> :(f($(rand(d, Int))) + x), d -> Some(rand(d, 1:3)), d -> Diagonal(rand(d, 2)), d -> rand(d, 2, 2)',
]

const BRANCHES = [
    (d, part) -> Any[part() for _ in 1:rand(d, 0:4)], (d, part) -> [part() for _ in 1:rand(d, 1:3)], (d, part) -> Tuple(part() for _ in 1:rand(d, 0:4)), (d, part) -> (a = part(), b = part()), (d, part) -> part() => part(),
    (d, part) -> Dict(rand(d, Int) => part() for _ in 1:rand(d, 0:4)), (d, part) -> Dict{Any,Any}(randstring(d, 3) => part()), (d, part) -> Set([rand(d, Int), randstring(d, 2)]), (d, part) -> Ref{Any}(part()),
    (d, part) -> (x = Any[part()]; Any[x, x]), (d, part) -> (x = Vector{Any}(undef, 3); x[2] = part(); x), (d, part) -> Expr(:call, :f, part()), (d, part) -> BoundsError([1], part()),
]

made_up(d, depth) = depth == 0 || rand(d) < 0.3 ? rand(d, LEAVES)(d) : rand(d, BRANCHES)(d, () -> made_up(d, depth - 1))

"Other bytes, a cut, a piece twice, or a number that is huge."
function damaged!(d, bytes)
    kind, at = rand(d, 1:4), rand(d, 1:length(bytes))
    kind == 1 && foreach(_ -> bytes[rand(d, 1:length(bytes))] = rand(d, UInt8), 1:rand(d, 1:4))
    kind == 2 && resize!(bytes, at)
    kind == 3 && append!(bytes, bytes[at:end])
    kind == 4 && (bytes[at:min(at + 7, end)] .= 0xff)
    return bytes
end

function random(seed, count)
    d, worst = MersenneTwister(seed), 0.0
    outcomes = Dict(:sent => 0, :values => 0, :refused => 0)
    for _ in 1:count
        value = made_up(d, 4)
        look_at(value) === :same || error("not the same on the other side: $(repr(value))")
        outcomes[:sent] += 1
        bytes = message(value)
        for _ in 1:10
            broken = damaged!(d, copy(bytes))
            seconds = @elapsed outcomes[outcome(broken)] += 1
            worst = max(worst, seconds)
        end
    end
    return string(outcomes[:sent], ' ', outcomes[:values], ' ', outcomes[:refused], ' ', worst)
end

function reply(words)
    words[1] == "random" && return random(parse(Int, words[2]), parse(Int, words[3]))
    bytes = hex2bytes(get(words, 2, ""))
    return words[1] == "bytes" ? outcome(bytes) : look_at(Core.eval(Module(), Meta.parse(String(bytes))))
end

for line in eachline(stdin)
    println(reply(split(line)))
    flush(stdout)
end

end
