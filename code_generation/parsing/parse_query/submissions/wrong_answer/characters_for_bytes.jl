# Turns every escape into a character of its own.
function unescaped(s)
    t = replace(String(s), '+' => ' ')
    occursin(r"%(?![0-9A-Fa-f]{2})", t) && throw(ArgumentError("broken escape"))
    return replace(t, r"%[0-9A-Fa-f]{2}" => m -> string(Char(parse(UInt8, m[2:3]; base = 16))))
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
