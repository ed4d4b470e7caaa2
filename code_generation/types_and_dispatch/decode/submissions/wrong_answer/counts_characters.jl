# Strict, but lengths of texts are taken as characters, and the fields of a record are written in their own order.
struct Record <: Encoding end
function write_value(io::IO, ::Record, value)
    print(io, 'd')
    for n in fieldnames(typeof(value))
        getfield(value, n) === nothing && continue
        write_value(io, n)
        write_value(io, getfield(value, n))
    end
    print(io, 'e')
end
wrong() = throw(ArgumentError("cannot be decoded"))
function decode(::Type{T}, text::AbstractString) where {T<:Integer}
    m = match(r"^i(0|-?[1-9][0-9]*)e\z", text)
    m === nothing && wrong()
    n = parse(BigInt, m[1])
    return try T(n) catch; wrong() end
end
function decode(::Type{String}, text::AbstractString)
    m = match(r"^(0|[1-9][0-9]*):"s, text)
    m === nothing && wrong()
    rest = text[(length(m.match) + 1):end]
    length(rest) == parse(BigInt, m[1]) || wrong()
    return String(rest)
end
decode(::Type, text) = wrong()
