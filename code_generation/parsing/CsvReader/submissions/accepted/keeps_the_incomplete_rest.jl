# Keeps all bytes of the row that is not complete yet, and reads that row anew with each chunk.
complete(bytes) = begin
    quoted = false
    for (i, b) in enumerate(bytes)
        b == UInt8('"') && (quoted = !quoted)
        b == UInt8('\n') && !quoted && return i
    end
    return 0
end

function feed!(reader::CsvReader, chunk::AbstractVector{UInt8})
    rows = Vector{String}[]
    append!(reader.field, chunk)
    check_row(reader.field, reader.line, false)
    while (stop = complete(reader.field)) > 0
        bytes = splice!(reader.field, 1:stop)
        pop!(bytes)
        ended = !isempty(bytes) && bytes[end] == UInt8('\r')
        ended && pop!(bytes)
        fields = check_row(bytes, reader.line, true)
        reader.line += 1 + count(isequal(UInt8('\n')), bytes)
        isempty(bytes) || push!(rows, fields)
        check_row(reader.field, reader.line, false)
    end
    return rows
end

function finish!(reader::CsvReader)
    bytes, line = reader.field, reader.line
    reader.field, reader.line = UInt8[], 1
    isempty(bytes) && return Vector{String}[]
    return [check_row(bytes, line, true)]
end

# The fields of one row; with `whole = false` only errors that nothing behind it can mend.
function check_row(bytes, line, whole)
    fields, field, i = String[], UInt8[], 1
    while true
        if i <= length(bytes) && bytes[i] == UInt8('"')
            start = line
            i += 1
            while true
                if i > length(bytes)
                    whole && throw(CsvError(start, :unterminated))
                    return fields
                elseif bytes[i] != UInt8('"')
                    bytes[i] == UInt8('\n') && (line += 1)
                    push!(field, bytes[i])
                    i += 1
                elseif i < length(bytes) && bytes[i + 1] == UInt8('"')
                    push!(field, bytes[i])
                    i += 2
                else
                    break
                end
            end
            i += 1
            rest = bytes[i:end]
            fine = isempty(rest) || rest[1] in codeunits(",\n") && !(whole && rest[1] == 0x0a) ||
                   (!whole && rest[1] == 0x0d && (length(rest) == 1 || rest[2] == 0x0a))
            fine || throw(CsvError(line, :after_quote))
        else
            while i <= length(bytes) && bytes[i] != UInt8(',') && (whole || bytes[i] != UInt8('\n'))
                bytes[i] == UInt8('"') && throw(CsvError(line, :quote))
                push!(field, bytes[i])
                i += 1
            end
        end
        push!(fields, String(copy(field)))
        empty!(field)
        (i > length(bytes) || bytes[i] != UInt8(',')) && return fields
        i += 1
    end
end
