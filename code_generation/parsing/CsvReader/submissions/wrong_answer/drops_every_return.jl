# Reads bytes, and drops every carriage return outside of quotes.
function feed!(reader::CsvReader, chunk::AbstractVector{UInt8})
    rows = Vector{String}[]
    for byte in chunk
        c = Char(byte)
        if reader.state == :quoted
            c == '"' ? (reader.state = :closed) : push!(reader.field, byte)
        elseif reader.state == :closed && c == '"'
            push!(reader.field, byte)
            reader.state = :quoted
        elseif c == '\n'
            end_row!(reader, rows)
        elseif c == ','
            end_field!(reader)
        elseif c == '\r'
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
function finish!(reader::CsvReader)
    rows = Vector{String}[]
    unterminated = reader.state == :quoted
    end_row!(reader, rows)
    reader.line = 1
    unterminated && throw(CsvError(reader.quote_line, :unterminated))
    return rows
end
