# Values as bytes, in both directions between a candidate and the referee. Never code, never an object of the
# sender's: the reader builds each value anew, from a closed list of types, and checks what such a value must
# fulfil. A message is bounded in bytes, in parts and in depth.
#
#   message = u32 count, then as many values; an object that occurs twice in a message is the same one after it
#   value   = a tag, then what the tag says
#
# A value that holds anything else, such as a type of the candidate's own, travels as a handle: a number, and
# what a person may read about it. It stays where it is.

struct Unencodable <: Exception end

struct BadMessage <: Exception
    reason::String
end

"A value that stays in the candidate's process, as the referee sees it."
struct Handle
    id::Int
    type::String          # for people
    known::Any            # the nearest supertype that is Julia's own
    exact::Any            # the nearest one that is not the candidate's: it may be that of a package
end

Handle(id::Int, type::String, @nospecialize(known)) = Handle(id, type, known, known)

"Values for the referee to apply a function to, as a message of their own: what they were when it was their turn."
struct Parts
    message::String
end

const MOST_BYTES = 8 << 20
const MOST_PARTS = 2_000_000
const MOST_DEPTH = 200

const NOTHING, MISSING, TRUE, FALSE, INT, BITS, STRING, SUBSTRING, SYMBOL, BIG_INT, BIG_FLOAT, TUPLE, STRUCT, ARRAY, BIT_ARRAY,
    DICT, SET, REGEX, TYPE, EXPR, FUNCTION, AGAIN, HANDLE, PARTS = UInt8.(1:24)
const DATA_TYPE, UNION_TYPE, WRAPPER_TYPE, UNION_ALL, TYPE_VARIABLE, FUNCTION_TYPE = UInt8.(1:6)

# Types whose bytes are all there is to them, by the number they have in a message.
const BITS_TYPES = Any[Bool, Char, Int8, Int16, Int32, Int64, Int128, UInt8, UInt16, UInt32, UInt64, UInt128, Float16, Float32, Float64]
bits_number(@nospecialize(T)) = findfirst(known -> known === T, BITS_TYPES)

# Where the types of values may come from.
const KNOWN_ROOTS = Module[Core, Base, Dates, LinearAlgebra, Statistics, Random, Printf, Test]

# Structs that are rebuilt from their fields. What they must fulfil beyond their fields' types is in `is_sound`.
const PLAIN_STRUCTS = Any[Pair, Rational, Complex, UnitRange, StepRange, StepRangeLen, LinRange, Base.OneTo, CartesianIndex, CartesianIndices,
    Some, Base.RefValue, NamedTuple, VersionNumber, QuoteNode, LineNumberNode, Base.TwicePrecision, Date, DateTime, Time,
    Dates.UTInstant, Dates.CompoundPeriod, Adjoint, Transpose, Diagonal, Colon, Base.Fix1, Base.Fix2]

type_name_of(@nospecialize(T)) = Base.unwrap_unionall(T).name

# From 1.7 on a type's name has this, and not the type.
has_identity(T::DataType) = isdefined(Base, :ismutabletype) ? Base.ismutabletype(T) : T.mutable

const PLAIN_NAMES = Any[type_name_of(T) for T in PLAIN_STRUCTS]

function is_plain_struct(T::DataType)
    T.name in PLAIN_NAMES && return true
    # Exceptions of Julia's own, and periods of time.
    return (T <: Exception && root_module(T.name.module) in (Core, Base)) || (T <: Period && T.name.module === Dates)
end

"""
Functions that may come from a candidate: the referee may call what it was sent, as in `map(f(), [1, 2])`. They touch
nothing but their arguments. Any other stays where it is, and is called there.
"""
const PURE_FUNCTIONS = Set{Symbol}(Symbol.(split("""
    + - * / ÷ \\ ^ // % & | xor ! ~ << >> >>> == != === !== < <= > >= isequal isless isapprox in issubset cmp min max minmax identity ifelse
    abs abs2 sign signbit copysign clamp sqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p hypot sin cos tan asin acos atan sinh cosh tanh
    deg2rad rad2deg floor ceil round trunc div fld cld mod rem divrem fldmod gcd lcm factorial binomial iseven isodd iszero isone isnan isinf
    isfinite isinteger isreal float real imag conj complex numerator denominator zero one inv
    length size ndims isempty first last sum prod maximum minimum extrema count any all sort reverse unique union intersect setdiff vcat hcat
    issorted keys values typeof eltype isnothing ismissing
    string uppercase lowercase titlecase uppercasefirst lowercasefirst strip lstrip rstrip chomp chop join split startswith endswith occursin
    isspace isdigit isletter isuppercase islowercase isnumeric ispunct isascii
    transpose adjoint det tr norm dot cross mean median std var""")))

is_pure(@nospecialize(f)) = (name = nameof(f); name in PURE_FUNCTIONS && any(m -> isdefined(m, name) && getfield(m, name) === f, (Base, LinearAlgebra, Statistics)))

# ---- writing

mutable struct Encoder
    bytes::Vector{UInt8}
    seen::IdDict{Any,Int}         # objects with an identity, by their number in the message
    parts::Int
    variables::Vector{TypeVar}    # of the types that are being written, the outermost first
    any_function::Bool            # what the referee sends; of a candidate's, only pure ones
    packages::Bool                # types of packages may be named
end

Encoder(any_function::Bool = false, packages::Bool = false) = Encoder(UInt8[], IdDict{Any,Int}(), 0, TypeVar[], any_function, packages)

"The message for these values. `hold` gives the handle of a value that cannot travel, or throws."
function encode_values(values::Vector{Any}, hold, any_function::Bool = false)
    e = Encoder(any_function)
    put32!(e.bytes, length(values))
    foreach(value -> put_or_hold!(e, value, hold), values)
    return e.bytes
end

function put_or_hold!(e::Encoder, @nospecialize(value), hold)
    start, objects, parts = length(e.bytes), length(e.seen), e.parts
    try
        put!(e, value, 0)
    catch err
        err isa Unencodable || rethrow()
        resize!(e.bytes, start)
        filter!(entry -> entry.second <= objects, e.seen)
        e.parts = parts
        empty!(e.variables)
        put_handle!(e, hold(value))
    end
end

function put_handle!(e::Encoder, handle::Handle)
    push!(e.bytes, HANDLE)
    put64!(e, handle.id)
    put_text!(e, handle.type)
    put_type!(e, handle.known, 0)
    # By itself: a reader who does not have that package still understands the rest.
    put_text!(e, handle.exact === handle.known ? "" : type_message(handle.exact))
end

type_message(@nospecialize(T)) = (e = Encoder(false, true); put_type!(e, T, 0); String(e.bytes))

function put64!(e::Encoder, n::Integer)
    for shift in 0:8:56
        push!(e.bytes, (n >> shift) % UInt8)
    end
end

function put_text!(e::Encoder, text::String)
    length(e.bytes) + sizeof(text) > MOST_BYTES && throw(Unencodable())
    put64!(e, sizeof(text))
    append!(e.bytes, codeunits(text))
end

function put!(e::Encoder, @nospecialize(x), depth::Int)
    e.parts += 1
    (depth > MOST_DEPTH || e.parts > MOST_PARTS || length(e.bytes) > MOST_BYTES) && throw(Unencodable())
    x === nothing && return push!(e.bytes, NOTHING)
    x === missing && return push!(e.bytes, MISSING)
    x === true && return push!(e.bytes, TRUE)
    x === false && return push!(e.bytes, FALSE)
    x isa Int && return (push!(e.bytes, INT); put64!(e, x))
    x isa String && return (push!(e.bytes, STRING); put_text!(e, x))
    x isa Handle && return put_handle!(e, x)
    x isa Parts && return (push!(e.bytes, PARTS); put_text!(e, x.message))
    x isa Symbol && return (push!(e.bytes, SYMBOL); put_text!(e, String(x)))
    x isa SubString{String} && return (push!(e.bytes, SUBSTRING); put_text!(e, String(x)))
    x isa Type && return (push!(e.bytes, TYPE); put_type!(e, x, depth + 1))
    number = bits_number(typeof(x))
    number === nothing || return put_bits!(e, number, x)
    x isa Tuple && return put_fields!(e, TUPLE, x, depth)
    x isa BigInt && return (push!(e.bytes, BIG_INT); put_text!(e, string(x, base = 16)))
    x isa BigFloat && return (push!(e.bytes, BIG_FLOAT); put64!(e, precision(x)); put_text!(e, string(x)))
    x isa Regex && return put_regex!(e, x)
    T = typeof(x)
    x isa Function && !is_plain_struct(T) && return e.any_function || is_pure(x) ? put_function!(e, x) : throw(Unencodable())
    (has_identity(T) || x isa Set) && put_again!(e, x) && return nothing
    x isa Array && return put_array!(e, x, depth)
    x isa BitArray && return put_bit_array!(e, x)
    x isa Dict && return put_dict!(e, x, depth)
    x isa Set && return put_set!(e, x, depth)
    x isa Expr && return put_expr!(e, x, depth)
    is_plain_struct(T) || throw(Unencodable())
    push!(e.bytes, STRUCT)
    put_type!(e, T, depth + 1)
    put_fields!(e, UInt8(0), x, depth)
end

"Whether an object was in the message before; it has a number from now on."
function put_again!(e::Encoder, @nospecialize(x))
    number = get(e.seen, x, 0)
    if number == 0
        e.seen[x] = length(e.seen) + 1
        return false
    end
    push!(e.bytes, AGAIN)
    put64!(e, number)
    return true
end

function put_bits!(e::Encoder, number::Int, @nospecialize(x))
    push!(e.bytes, BITS, number % UInt8)
    box = Ref{Any}(x)
    GC.@preserve box begin
        start = ccall(:jl_value_ptr, Ptr{UInt8}, (Any,), box[])
        for i in 1:Core.sizeof(x)
            push!(e.bytes, unsafe_load(start, i))
        end
    end
end

function put_fields!(e::Encoder, tag::UInt8, @nospecialize(x), depth::Int)
    tag == 0 || push!(e.bytes, tag)
    put64!(e, nfields(x))
    for i in 1:nfields(x)
        isdefined(x, i) || throw(Unencodable())
        put!(e, getfield(x, i), depth + 1)
    end
end

function put_array!(e::Encoder, @nospecialize(x), depth::Int)
    T = typeof(x).parameters[1]
    push!(e.bytes, ARRAY)
    put_type!(e, T, depth + 1)
    put_size!(e, size(x))
    if bits_number(T) !== nothing
        count = sizeof(x)
        length(e.bytes) + count > MOST_BYTES && throw(Unencodable())
        at = length(e.bytes)
        resize!(e.bytes, at + count)
        bytes = e.bytes
        GC.@preserve x bytes ccall(:memcpy, Ptr{Cvoid}, (Ptr{UInt8}, Ptr{Cvoid}, Csize_t), pointer(bytes, at + 1), array_start(x), count)
        return
    end
    for i in 1:length(x)
        assigned = isassigned(x, i)
        push!(e.bytes, assigned)
        assigned && put!(e, x[i], depth + 1)
    end
end

array_start(@nospecialize(x)) = Ptr{Cvoid}(pointer(x))

put_size!(e::Encoder, @nospecialize(dims)) = (push!(e.bytes, length(dims) % UInt8); foreach(n -> put64!(e, n), dims))

function put_bit_array!(e::Encoder, @nospecialize(x))
    length(e.bytes) + length(x) > MOST_BYTES && throw(Unencodable())
    push!(e.bytes, BIT_ARRAY)
    put_size!(e, size(x))
    foreach(bit -> push!(e.bytes, bit), x)
end

function put_dict!(e::Encoder, @nospecialize(x), depth::Int)
    push!(e.bytes, DICT)
    foreach(T -> put_type!(e, T, depth + 1), typeof(x).parameters)
    put64!(e, length(x))
    for pair in x
        put!(e, getfield(pair, 1), depth + 1)
        put!(e, getfield(pair, 2), depth + 1)
    end
end

function put_set!(e::Encoder, @nospecialize(x), depth::Int)
    push!(e.bytes, SET)
    put_type!(e, typeof(x).parameters[1], depth + 1)
    put64!(e, length(x))
    for element in x
        put!(e, element, depth + 1)
    end
end

function put_regex!(e::Encoder, x::Regex)
    push!(e.bytes, REGEX)
    put_text!(e, x.pattern)
    put64!(e, x.compile_options)
    put64!(e, x.match_options)
end

function put_expr!(e::Encoder, x::Expr, depth::Int)
    push!(e.bytes, EXPR)
    put_text!(e, String(x.head))
    put64!(e, length(x.args))
    foreach(arg -> put!(e, arg, depth + 1), x.args)
end

# `typeof(sin)`, which is part of the type of `==(1)`.
is_function_type(@nospecialize(T)) = T isa DataType && T <: Function && isdefined(T, :instance) && !is_plain_struct(T)

# A function of Julia's own, by its name.
function put_function!(e::Encoder, @nospecialize(f))
    from, name = typeof(f).name.module, nameof(f)
    Base.issingletontype(typeof(f)) && isdefined(from, name) && getfield(from, name) === f || throw(Unencodable())
    push!(e.bytes, FUNCTION)
    put_path!(e, from, name)
end

function put_path!(e::Encoder, from::Module, name::Symbol)
    path = [String(name)]
    while true
        pushfirst!(path, String(nameof(from)))
        from in KNOWN_ROOTS && break
        parent = parentmodule(from)
        e.packages && parent === from && Base.PkgId(from).uuid !== nothing && break
        (parent === from || parent === Main) && throw(Unencodable())
        from = parent
    end
    put_text!(e, join(path, '.'))
end

function put_type!(e::Encoder, @nospecialize(T), depth::Int)
    e.parts += 1
    depth > MOST_DEPTH && throw(Unencodable())
    if T isa Union
        push!(e.bytes, UNION_TYPE)
        put_type!(e, T.a, depth + 1)
        put_type!(e, T.b, depth + 1)
    elseif is_function_type(T)
        push!(e.bytes, FUNCTION_TYPE)
        put_function!(e, T.instance)
    elseif T isa DataType && T !== T.name.wrapper
        push!(e.bytes, DATA_TYPE)
        put_path!(e, T.name.module, T.name.name)
        put64!(e, length(T.parameters))
        foreach(parameter -> put_parameter!(e, parameter, depth + 1), T.parameters)
    elseif T === Union{}
        push!(e.bytes, WRAPPER_TYPE)
        put_text!(e, "Union{}")
    elseif (T isa DataType || T isa UnionAll) && T === type_name_of(T).wrapper
        push!(e.bytes, WRAPPER_TYPE)
        put_path!(e, type_name_of(T).module, type_name_of(T).name)
    elseif T isa UnionAll
        put_union_all!(e, T, depth)
    elseif T isa TypeVar && (number = findlast(variable -> variable === T, e.variables)) !== nothing
        push!(e.bytes, TYPE_VARIABLE)
        put64!(e, number)
    else
        throw(Unencodable())
    end
end

# `Vector{T} where T<:Real`: the variable's bounds, then the type that uses it.
function put_union_all!(e::Encoder, T::UnionAll, depth::Int)
    push!(e.bytes, UNION_ALL)
    put_text!(e, String(T.var.name))
    put_type!(e, T.var.lb, depth + 1)
    put_type!(e, T.var.ub, depth + 1)
    push!(e.variables, T.var)
    put_type!(e, T.body, depth + 1)
    pop!(e.variables)
end

# `CartesianIndex{10^9}` has a field for each dimension.
is_large(@nospecialize(parameter)) = parameter isa Integer && !(parameter isa Bool) && !(0 <= parameter <= MOST_DEPTH)

function put_parameter!(e::Encoder, @nospecialize(parameter), depth::Int)
    is_large(parameter) && throw(Unencodable())
    parameter isa TypeVar || return put!(e, parameter, depth)
    push!(e.bytes, TYPE)
    put_type!(e, parameter, depth)
end

# ---- reading

mutable struct Decoder
    bytes::Vector{UInt8}
    at::Int
    objects::Vector{Any}
    parts::Int
    held::Any                 # a candidate's: handle number -> object; the referee's: nothing
    variables::Vector{TypeVar}
    packages::Bool            # see Encoder
end

Decoder(bytes::Vector{UInt8}, held, packages::Bool = false) = Decoder(bytes, 1, Any[], 0, held, TypeVar[], packages)

"The values of a message. BadMessage if it is not exactly one, whatever its bytes are."
function decode_values(bytes::Vector{UInt8}, held = nothing)
    try
        return take_message!(Decoder(bytes, held))
    catch err
        err isa BadMessage && rethrow()
        throw(BadMessage(string(nameof(typeof(err)))))
    end
end

function take_message!(d::Decoder)
    length(d.bytes) <= 2MOST_BYTES || throw(BadMessage("too long"))
    count = take32!(d)
    count <= length(d.bytes) || throw(BadMessage("a count beyond its end"))
    values = Any[take_value!(d, 0, true) for _ in 1:count]
    d.at == length(d.bytes) + 1 || throw(BadMessage("something behind its end"))
    return values
end

function take_byte!(d::Decoder)
    d.at <= length(d.bytes) || throw(BadMessage("it ends early"))
    d.at += 1
    return d.bytes[d.at-1]
end

function need(d::Decoder, count::Int)
    0 <= count <= length(d.bytes) - d.at + 1 || throw(BadMessage("it ends early"))
    return count
end

function take32!(d::Decoder)
    need(d, 4)
    d.at += 4
    return get32(d.bytes, d.at - 4)
end

function take64!(d::Decoder)
    need(d, 8)
    n = UInt64(0)
    for i in 0:7
        n |= UInt64(d.bytes[d.at+i]) << 8i
    end
    d.at += 8
    return n % Int
end

"How many parts follow, each of at least one byte."
take_count!(d::Decoder) = need(d, take64!(d))

function take_text!(d::Decoder)
    count = take_count!(d)
    d.at += count
    return String(d.bytes[d.at-count:d.at-1])
end

function take_symbol!(d::Decoder)
    text = take_text!(d)
    '\0' in text && throw(BadMessage("a symbol with a zero byte"))
    return Symbol(text)
end

function take_value!(d::Decoder, depth::Int, outermost::Bool = false)
    d.parts += 1
    d.parts <= MOST_PARTS || throw(BadMessage("too many parts"))
    depth <= MOST_DEPTH || throw(BadMessage("too deep"))
    tag = take_byte!(d)
    tag == NOTHING && return nothing
    tag == MISSING && return missing
    tag == TRUE && return true
    tag == FALSE && return false
    tag == INT && return take64!(d)
    tag == BITS && return take_bits!(d)
    tag == STRING && return take_text!(d)
    tag == SUBSTRING && return SubString(take_text!(d))
    tag == SYMBOL && return take_symbol!(d)
    tag == BIG_INT && return take_big_int!(d)
    tag == BIG_FLOAT && return take_big_float!(d)
    tag == TUPLE && return tuple((take_value!(d, depth + 1) for _ in 1:take_count!(d))...)
    tag == STRUCT && return take_struct!(d, depth)
    tag == ARRAY && return take_array!(d, depth)
    tag == BIT_ARRAY && return take_bit_array!(d)
    tag == DICT && return take_dict!(d, depth)
    tag == SET && return take_set!(d, depth)
    tag == REGEX && return take_regex!(d)
    tag == TYPE && return take_type!(d, depth + 1)
    tag == EXPR && return take_expr!(d, depth)
    tag == FUNCTION && return take_function_value!(d)
    tag == AGAIN && return take_again!(d)
    tag == HANDLE && (outermost || d.held !== nothing) && return take_handle!(d)
    tag == PARTS && outermost && d.held === nothing && return Parts(take_text!(d))
    throw(BadMessage("an unknown tag"))
end

function take_bits!(d::Decoder)
    number = Int(take_byte!(d))
    1 <= number <= length(BITS_TYPES) || throw(BadMessage("an unknown type of bits"))
    return take_elements!(d, BITS_TYPES[number], 1)[1]
end

# A Bool is 0 or 1, and nothing else; of a Char any four bytes are one.
function take_elements!(d::Decoder, T::DataType, count::Int)
    0 <= count <= length(d.bytes) || throw(BadMessage("it ends early"))
    size = need(d, count * sizeof(T))
    bytes = d.bytes[d.at:d.at+size-1]
    d.at += size
    T === Bool && any(byte -> byte > 1, bytes) && throw(BadMessage("a Bool that is neither"))
    return copy(reinterpret(T, bytes))
end

function take_big_int!(d::Decoder)
    n = tryparse(BigInt, take_text!(d), base = 16)
    n === nothing && throw(BadMessage("not a number"))
    return n
end

function take_big_float!(d::Decoder)
    bits, text = take64!(d), take_text!(d)
    1 < bits <= 1 << 20 || throw(BadMessage("an odd precision"))
    x = setprecision(() -> tryparse(BigFloat, text), BigFloat, bits)
    x === nothing && throw(BadMessage("not a number"))
    return x
end

function take_again!(d::Decoder)
    number = take64!(d)
    1 <= number <= length(d.objects) && isassigned(d.objects, number) || throw(BadMessage("an object that was not there"))
    return d.objects[number]
end

"Keep a place for an object that is being read: what it holds may come after it."
new_place!(d::Decoder) = (push!(d.objects, UNFINISHED); length(d.objects))
struct Unfinished end
const UNFINISHED = Unfinished()

function take_struct!(d::Decoder, depth::Int)
    T = take_type!(d, depth + 1)
    T isa DataType && isconcretetype(T) && is_plain_struct(T) || throw(BadMessage("a struct of a type that is none"))
    place = has_identity(T) ? new_place!(d) : 0
    fields = Any[take_value!(d, depth + 1) for _ in 1:take_count!(d)]
    length(fields) == fieldcount(T) && all(i -> fields[i] isa fieldtype(T, i), 1:length(fields)) || throw(BadMessage("fields of another type"))
    any(field -> field === UNFINISHED, fields) && throw(BadMessage("a struct that holds itself"))
    x = isempty(fields) && isdefined(T, :instance) ? T.instance :
        ccall(:jl_new_structv, Any, (Any, Ptr{Any}, UInt32), T, fields, length(fields))
    is_sound(x) || throw(BadMessage("a value that cannot be"))
    place == 0 || (d.objects[place] = x)
    return x
end

"What the constructors of a type make sure of."
is_sound(@nospecialize(x)) = true
is_sound(x::Rational) = x.den >= 0 && gcd(x.num, x.den) == 1
is_sound(x::UnitRange) = x.stop === UnitRange(x.start, x.stop).stop
is_sound(x::StepRange) = x.step != zero(x.step) && x.stop === StepRange(x.start, x.step, x.stop).stop
is_sound(x::StepRangeLen) = x.len >= 0 && 1 <= x.offset <= max(1, x.len)
is_sound(x::LinRange) = x.len >= 0
is_sound(x::Base.OneTo) = x.stop >= 0
is_sound(x::Time) = 0 <= Dates.value(x) < 86_400_000_000_000
is_sound(x::Dates.CompoundPeriod) = isequal(x.periods, Dates.CompoundPeriod(copy(x.periods)).periods)

function take_size!(d::Decoder)
    count = Int(take_byte!(d))
    count <= 32 || throw(BadMessage("too many dimensions"))
    dims = Int[take64!(d) for _ in 1:count]
    all(n -> n >= 0, dims) || throw(BadMessage("a negative size"))
    total = prod(Int128.(dims))
    total <= 2MOST_BYTES || throw(BadMessage("a size beyond its end"))
    return Tuple(dims), Int(total)
end

function take_array!(d::Decoder, depth::Int)
    place = new_place!(d)
    T = take_type!(d, depth + 1)
    dims, total = take_size!(d)
    if bits_number(T) !== nothing
        return d.objects[place] = reshape(take_elements!(d, T, total), dims)
    end
    need(d, total)
    x = d.objects[place] = Array{T}(undef, dims)
    for i in 1:total
        assigned = take_byte!(d)
        assigned == 0 && !isbitstype(T) && continue
        put_into!(d, x, i, depth)
    end
    return x
end

function put_into!(d::Decoder, x::Array{T}, i::Int, depth::Int) where T
    element = take_value!(d, depth + 1)
    element isa T && element !== UNFINISHED || throw(BadMessage("an element of another type"))
    x[i] = element
end

function take_bit_array!(d::Decoder)
    place = new_place!(d)
    dims, total = take_size!(d)
    return d.objects[place] = BitArray(reshape(take_elements!(d, Bool, total), dims))
end

function take_dict!(d::Decoder, depth::Int)
    place = new_place!(d)
    K, V = take_type!(d, depth + 1), take_type!(d, depth + 1)
    x = d.objects[place] = Dict{K,V}()
    count = take_count!(d)
    for _ in 1:count
        key, value = take_value!(d, depth + 1), take_value!(d, depth + 1)
        key isa K && value isa V && key !== UNFINISHED && value !== UNFINISHED || throw(BadMessage("an entry of another type"))
        x[key] = value
    end
    length(x) == count || throw(BadMessage("a key that is there twice"))
    return x
end

function take_set!(d::Decoder, depth::Int)
    place = new_place!(d)
    T = take_type!(d, depth + 1)
    x = d.objects[place] = Set{T}()
    count = take_count!(d)
    for _ in 1:count
        element = take_value!(d, depth + 1)
        element isa T && element !== UNFINISHED || throw(BadMessage("an element of another type"))
        push!(x, element)
    end
    length(x) == count || throw(BadMessage("an element that is there twice"))
    return x
end

function take_regex!(d::Decoder)
    pattern, compile_options, match_options = take_text!(d), take64!(d), take64!(d)
    try
        return Regex(pattern, compile_options % UInt32, match_options % UInt32)
    catch
        throw(BadMessage("not a regular expression"))
    end
end

function take_expr!(d::Decoder, depth::Int)
    place = new_place!(d)
    x = d.objects[place] = Expr(take_symbol!(d))
    for _ in 1:take_count!(d)
        push!(x.args, take_value!(d, depth + 1))
    end
    return x
end

function take_function_value!(d::Decoder)
    f = take_function!(d)
    d.held !== nothing || is_pure(f) || throw(BadMessage("a function that is not for others to call"))
    return f
end

function take_function!(d::Decoder)
    f = look_up(d, take_text!(d))
    f isa Function || throw(BadMessage("not a function"))
    return f
end

"A name such as `Base.Threads.Atomic`, from the modules that are known."
function look_up(d::Decoder, path::String)
    parts = Symbol.(split(path, '.'))
    at = findfirst(root -> nameof(root) === parts[1], KNOWN_ROOTS)
    found = at !== nothing ? KNOWN_ROOTS[at] : d.packages ? package_named(parts[1]) : nothing
    found === nothing && throw(BadMessage("an unknown module"))
    for part in parts[2:end]
        found isa Module && isdefined(found, part) || throw(BadMessage("an unknown name"))
        found = getfield(found, part)
    end
    return found
end

"The package of this name that is loaded here; `nothing` if there is none, or more than one."
function package_named(name::Symbol)
    found = Module[m for (id, m) in Base.loaded_modules if id.uuid !== nothing && id.name == String(name)]
    return length(found) == 1 ? found[1] : nothing
end

function take_type!(d::Decoder, depth::Int)
    d.parts += 1
    depth <= MOST_DEPTH || throw(BadMessage("too deep"))
    kind = take_byte!(d)
    kind == UNION_TYPE && return Union{take_type!(d, depth + 1),take_type!(d, depth + 1)}
    if kind == WRAPPER_TYPE
        path = take_text!(d)
        path == "Union{}" && return Union{}
        T = look_up(d, path)
        T isa Type || throw(BadMessage("not a type"))
        return T
    end
    kind == UNION_ALL && return take_union_all!(d, depth)
    kind == TYPE_VARIABLE && return take_variable!(d)
    kind == FUNCTION_TYPE && take_byte!(d) == FUNCTION && return typeof(take_function!(d))
    kind == DATA_TYPE || throw(BadMessage("an unknown kind of type"))
    wrapper = look_up(d, take_text!(d))
    wrapper isa Type || throw(BadMessage("not a type"))
    parameters = Any[take_value!(d, depth + 1) for _ in 1:take_count!(d)]
    any(is_large, parameters) && throw(BadMessage("a type that cannot be"))
    try
        return Core.apply_type(wrapper, parameters...)
    catch
        throw(BadMessage("a type that cannot be"))
    end
end

function take_union_all!(d::Decoder, depth::Int)
    name, low, high = take_symbol!(d), take_type!(d, depth + 1), take_type!(d, depth + 1)
    push!(d.variables, TypeVar(name, low, high))
    body = take_type!(d, depth + 1)
    return UnionAll(pop!(d.variables), body)
end

function take_variable!(d::Decoder)
    number = take64!(d)
    1 <= number <= length(d.variables) || throw(BadMessage("a variable of no type"))
    return d.variables[number]
end

function take_handle!(d::Decoder)
    id, type = take64!(d), take_text!(d)
    known = take_type!(d, 0)
    exact = take_text!(d)
    d.held === nothing && return Handle(id, clip(type, 120), known, exact_type(exact, known))
    haskey(d.held, id) || throw(BadMessage("an unknown handle"))
    return d.held[id]
end

"The type that a handle names as its own, where its package is loaded here; else what is known of it in any case."
function exact_type(message::String, @nospecialize(known))
    isempty(message) && return known
    d = Decoder(Vector{UInt8}(codeunits(message)), nothing, true)
    try
        T = take_type!(d, 0)
        return d.at == length(d.bytes) + 1 && T isa Type && T <: known ? T : known
    catch
        return known
    end
end
