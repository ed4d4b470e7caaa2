# Replaces plus signs after the escapes, so an escaped plus becomes a space.
function unescaped(s)
    io = IOBuffer()
    pieces = split(String(s), '%')
    print(io, pieces[1])
    for p in pieces[2:end]
        occursin(r"^[0-9A-Fa-f]{2}", p) || throw(ArgumentError("broken escape"))
        write(io, hex2bytes(p[1:2]))
        print(io, p[3:end])
    end
    out = String(take!(io))
    isvalid(out) || throw(ArgumentError("not UTF-8"))
    return replace(out, '+' => ' ')
end
function parse_query(query::AbstractString)
    q = startswith(query, "?") ? query[2:end] : query
    out = Pair{String, String}[]
    for part in split(q, "&"; keepempty = false)
        pieces = split(part, '='; limit = 2)
        push!(out, unescaped(pieces[1]) => (length(pieces) == 2 ? unescaped(pieces[2]) : ""))
    end
    return out
end
