# Waits for the rest of a character, but line ends and doubled quotes are still cut.
function feed!(reader::CsvReader, chunk::AbstractVector{UInt8})
    rows = Vector{String}[]
    for (i, byte) in enumerate(chunk)
        c = Char(byte)
        following = i < length(chunk) ? Char(chunk[i + 1]) : '\0'
        if reader.state == :quoted
            if c == '"' && following == '"'
                push!(reader.field, byte)
                reader.state = :skip
            elseif c == '"'
                reader.state = :closed
            else
                push!(reader.field, byte)
            end
        elseif reader.state == :skip
            reader.state = :quoted
        elseif c == ','
            end_field!(reader)
        elseif c == '\n'
            end_row!(reader, rows)
        elseif c == '\r' && following == '\n'
            nothing
        elseif reader.state == :closed
            throw(CsvError(reader.line, :after_quote))
        elseif c == '"'
            reader.state == :start || throw(CsvError(reader.line, :quote))
            reader.state, reader.quote_line = :quoted, reader.line
        else
            push!(reader.field, byte)
            reader.state = :plain
        end
        c == '\n' && (reader.line += 1)
    end
    return rows
end
function end_row!(reader::CsvReader, rows)
    skip = isempty(reader.row) && reader.state == :start
    end_field!(reader)
    skip || push!(rows, reader.row)
    reader.row = String[]
end
