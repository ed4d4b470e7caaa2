# Keeps the bytes of the unfinished record, and parses it again when its end has come.
struct CsvError <: Exception
    line::Int
end
mutable struct CsvParser
    rest::Vector{UInt8}
    line::Int
end
CsvParser() = CsvParser(UInt8[], 1)
# The fields of the record that begins at i and the position behind it; nothing if it is not complete.
function record_at(b, i, line, last)
    fields = String[]
    n = length(b)
    while true
        if i <= n && b[i] == 0x22
            out = UInt8[]
            i += 1
            while true
                i > n && return last ? throw(CsvError(line)) : nothing
                if b[i] == 0x22
                    i == n && !last && return nothing
                    if i < n && b[i+1] == 0x22
                        push!(out, 0x22)
                        i += 2
                        continue
                    end
                    i += 1
                    break
                end
                push!(out, b[i])
                i += 1
            end
            push!(fields, String(out))
            i > n && return last ? (fields, i) : nothing
            b[i] == 0x0a && return fields, i + 1
            if b[i] == 0x0d
                i == n && return last ? throw(CsvError(line)) : nothing
                b[i+1] == 0x0a || throw(CsvError(line))
                return fields, i + 2
            end
            b[i] == 0x2c || throw(CsvError(line))
            i += 1
        else
            j = i
            while j <= n && b[j] != 0x2c && b[j] != 0x0a
                j += 1
            end
            j > n && !last && return nothing
            if j <= n && b[j] == 0x0a
                stop = j > i && b[j-1] == 0x0d ? j - 2 : j - 1
                push!(fields, String(b[i:stop]))
                return fields, j + 1
            end
            push!(fields, String(b[i:j-1]))
            j > n && return fields, j
            i = j + 1
        end
    end
end
function feed!(p::CsvParser, bytes::AbstractVector{UInt8}, last = false)
    append!(p.rest, bytes)
    found = Vector{String}[]
    i = 1
    while i <= length(p.rest)
        r = record_at(p.rest, i, p.line, last)
        r === nothing && break
        push!(found, r[1])
        p.line += count(==(0x0a), p.rest[i:r[2]-1])
        i = r[2]
    end
    deleteat!(p.rest, 1:i-1)
    return found
end
finish!(p::CsvParser) = feed!(p, UInt8[], true)
