# Splits at the percent signs, and turns the digits into bytes with hex2bytes.
function unescaped(s)
    pieces = split(replace(String(s), '+' => ' '), '%')
    io = IOBuffer()
    print(io, pieces[1])
    for p in pieces[2:end]
        m = match(r"^[0-9A-Fa-f]{2}", p)
        m === nothing && throw(ArgumentError("broken escape"))
        write(io, hex2bytes(String(m.match)))
        print(io, SubString(p, 3))
    end
    out = String(take!(io))
    isvalid(out) || throw(ArgumentError("not UTF-8"))
    return out
end
function parse_query(query::AbstractString)
    q = String(query)
    q = startswith(q, "?") ? q[2:end] : q
    out = Pair{String, String}[]
    for part in split(q, "&")
        part == "" && continue
        i = findfirst(isequal('='), part)
        if i === nothing
            push!(out, unescaped(part) => "")
        else
            push!(out, unescaped(part[1:prevind(part, i)]) => unescaped(part[nextind(part, i):end]))
        end
    end
    return out
end
