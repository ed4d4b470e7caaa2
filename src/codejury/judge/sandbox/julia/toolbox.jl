# What answers are made of. A child runs what is not compiled yet in Julia's interpreter, and each of these
# costs it a good part of a millisecond there. Compiling them all takes two seconds, so a server does it
# once it has judged enough answers to believe in more.

const TOOLBOX = quote
    using Statistics

    # text
    strip(" a "), lowercase("A"), uppercase("a"), titlecase("a b"), reverse("ab"), length("ab"), collect("ab")
    split("a b"), split("a,b", ","), split("a,b", ','), split("a\nb", '\n'), chomp("a\n"), repeat("a", 2), "a"^2
    join(["a", "b"]), join(["a", "b"], ", "), join(split("a b"), " "), join(['a', 'b']), lpad("a", 3), rpad("a", 3)
    replace("a b", " " => ""), replace("a b", ' ' => '_'), replace("a b", r"\s+" => "_"), lowercase(strip(" a "))
    replace(lowercase(strip("a b")), r"\s" => "_"), match(r"(\d+)", "a1"), collect(eachmatch(r"\d", "a1"))
    occursin("a", "ab"), occursin(r"a", "ab"), startswith("ab", "a"), endswith("ab", "b"), first("ab", 1), last("ab", 1)
    parse(Int, "1"), parse(Float64, "1.5"), tryparse(Int, "1"), string(1, "a"), string(1.5), string('a', "b"), "a" * "b"
    isuppercase('a'), isletter('a'), isdigit('1'), isspace(' '), filter(isletter, "a1"), repr("a"), repr(1), Symbol("a")

    # numbers
    round(1.5), round(Int, 1.5), round(1.234; digits = 2), digits(12), gcd(4, 6), sqrt(2.0), div(7, 2), mod(7, 2), 2^3, 2.0^3

    # lists
    sort([2, 1]), sort([2, 1]; rev = true), sort(["b", "a"]), sort([2.0, 1.0]), sort!([2, 1]), sort([2, 1]; by = abs), sortperm([2, 1])
    unique([1, 1]), unique(["a"]), reverse([1, 2]), collect(1:3), collect(1:2:5), [1, 2, 3][2:3], 1 in [1], copy([1])
    push!(Int[], 1), push!(String[], "a"), push!(Any[], 1), append!([1], [2]), vcat([1], [2]), pop!([1]), popfirst!([1]), pushfirst!([1], 0)
    sum([1, 2]), sum([1.0]), prod([1, 2]), maximum([1, 2]), minimum([1, 2]), maximum([1.0]), extrema([1, 2]), cumsum([1, 2])
    mean([1, 2]), mean([1.0]), findfirst(==(1), [1]), findall(==(1), [1]), argmax([1, 2]), zeros(2), zeros(Int, 2), zeros(2, 2)
    fill(0, 2), ones(2), [1, 2] .+ 1, [1.0, 2.0] .* 2, [1, 2] .== 1, map(abs, [1]), filter(iseven, [1, 2]), any(iseven, [1])
    all(iseven, [1]), count(iseven, [1]), collect(zip([1], [2])), collect(enumerate([1])), [1] == [1], ["a"] == ["a"], (1, 2) == (1, 2)

    # tables
    Dict("a" => 1)["a"], get(Dict("a" => 1), "b", 0), haskey(Dict("a" => 1), "a"), setindex!(Dict{String,Int}(), 1, "a")
    get(Dict('a' => 1), 'b', 0), setindex!(Dict{Char,Int}(), 1, 'a'), get(Dict(1 => 1), 2, 0), setindex!(Dict{Int,Int}(), 1, 1)
    get(Dict(), "a", 0), setindex!(Dict(), 1, "a"), get(Dict("a" => 1), SubString("a"), 0), setindex!(Dict("a" => 1), 1, SubString("a"))
    collect(keys(Dict("a" => 1))), collect(values(Dict("a" => 1))), collect(Dict("a" => 1)), Dict("a" => 1) == Dict("a" => 1)
    Set([1, 2]), Set(["a"]), push!(Set{Int}(), 1), 1 in Set([1]), union([1], [2]), intersect([1], [1]), setdiff([1], [2])
end

# The interpreter cannot call C: what does so is compiled, again and again, unless it was before.
const CALLERS_OF_C = (:sizehint!, :isassigned, :_growend!, :_deleteend!)
const ELEMENTS = (Any, AbstractString, Bool, Char, Expr, Float64, Int, String, SubString{String}, Symbol)

# Each call alone: together they would be compiled as one, and none of them on its own.
toolbox_calls(lines::Expr = TOOLBOX) = Any[call for line in lines.args if line isa Expr for call in (line.head === :tuple ? line.args : (line,))]

# Values that answers give: each kind has code of its own that writes it for the referee, or reads it.
const SENT_VALUES = quote
    1.5, 1.5f0, 0x01, 'a', "a", SubString("ab", 1, 1), :a, big(1), 1 // 2, nothing, missing, 1:3, "a" => 1, (1, "a"), ((1, 2), [1]), (a = 1, b = "x")
    [1], [1.5], ["a"], ['a'], [:a], [true], Any[1, "a"], [1 2; 3 4], [1.5 2; 3 4], BitVector([true]), split("a b"), [[1], [2]], [["a"]], [[1.5]]
    [(1, 2)], [("a", 1)], ["a" => 1], [1, nothing], [1, missing], [Dict("a" => 1)]
    Dict("a" => 1), Dict(1 => 2), Dict('a' => 1), Dict(:a => 1), Dict("a" => "b"), Dict("a" => [1]), Dict("a" => ["b"]), Dict{String,Any}("a" => 1), Dict{Any,Any}(1 => 2)
    Set([1]), Set(["a"]), Set(['a'])
end

function rehearse_values(home::Module)
    for ex in toolbox_calls(SENT_VALUES)
        attempt(() -> decode_values(encode_values(Any[Core.eval(home, ex)], _ -> throw(Unencodable())), Dict{Int,Any}()))
    end
end

function rehearse_toolbox()
    home = fresh_module()
    rehearse_values(home)
    foreach(call -> attempt(() -> Core.eval(home, call)), toolbox_calls())
    for T in ELEMENTS
        precompile(Vector{T}, (UndefInitializer, Int))
        precompile(Base.unsafe_convert, (Type{Ptr{T}}, Vector{T}))
        for name in CALLERS_OF_C
            isdefined(Base, name) && precompile(getfield(Base, name), (Vector{T}, Int))
        end
    end
    precompile(pointer_from_objref, (Any,))
    precompile(unsafe_string, (Ptr{UInt8}, Int))
    precompile(hash, (SubString{String}, UInt))
end
