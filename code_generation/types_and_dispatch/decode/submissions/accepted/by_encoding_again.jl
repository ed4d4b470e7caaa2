# Reads generously into a tree of plain values, converts it to the type, and asks whether it is written in the same way.
struct Record <: Encoding end

function write_value(io::IO, ::Record, value)
    present = filter(n -> getfield(value, n) !== nothing, collect(fieldnames(typeof(value))))
    write_value(io, Dict(n => getfield(value, n) for n in present))
end

wrong() = throw(ArgumentError("cannot be decoded"))

# A plain value and the position behind it.
function plain(bytes, i)
    i <= length(bytes) || wrong()
    c = Char(bytes[i])
    if c == 'i'
        stop = findnext(isequal(UInt8('e')), bytes, i)
        stop === nothing && wrong()
        number = tryparse(BigInt, String(bytes[(i + 1):(stop - 1)]))
        number === nothing && wrong()
        return number, stop + 1
    elseif isdigit(c)
        colon = findnext(isequal(UInt8(':')), bytes, i)
        (colon === nothing || colon - i > 9) && wrong()
        n = tryparse(Int, String(bytes[i:(colon - 1)]))
        (n === nothing || colon + n > length(bytes)) && wrong()
        text = String(bytes[(colon + 1):(colon + n)])
        isvalid(text) || wrong()
        return text, colon + n + 1
    elseif c == 'l' || c == 'd'
        items = Any[]
        i += 1
        while i <= length(bytes) && bytes[i] != UInt8('e')
            item, i = plain(bytes, i)
            push!(items, item)
        end
        i <= length(bytes) || wrong()
        c == 'l' && return items, i + 1
        iseven(length(items)) && all(k -> k isa String, items[1:2:end]) || wrong()
        return Dict{String,Any}(zip(items[1:2:end], items[2:2:end])), i + 1
    end
    wrong()
end

function shaped(T::Type, value)
    T isa Union && return shaped(T.a === Nothing ? T.b : T.a, value)
    if T <: Integer && isconcretetype(T)
        value isa BigInt || wrong()
        return try
            T(value)
        catch
            wrong()
        end
    end
    T === String && return value isa String ? value : wrong()
    T <: Vector && isconcretetype(T) && return value isa Vector ? eltype(T)[shaped(eltype(T), v) for v in value] : wrong()
    if T <: Dict{String} && isconcretetype(T)
        value isa Dict || wrong()
        return T(k => shaped(valtype(T), v) for (k, v) in value)
    end
    encoding(T) isa Record && value isa Dict || wrong()
    issubset(keys(value), string.(fieldnames(T))) || wrong()
    parts = map(fieldnames(T), fieldtypes(T)) do name, S
        haskey(value, string(name)) ? shaped(S, value[string(name)]) : Nothing <: S ? nothing : wrong()
    end
    return T(parts...)
end

function decode(T::Type, text::AbstractString)
    bytes = collect(codeunits(String(text)))
    value, behind = plain(bytes, 1)
    behind == length(bytes) + 1 || wrong()
    result = shaped(T, value)
    encode(result) == text || wrong()
    return result
end
