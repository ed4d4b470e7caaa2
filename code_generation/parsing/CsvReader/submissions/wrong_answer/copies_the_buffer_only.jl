# Copies the chunk before it becomes a string, and the row before it is emptied; the borders stay as they were.
function end_row!(reader::CsvReader, rows)
    end_field!(reader)
    reader.row == [""] || push!(rows, copy(reader.row))
    empty!(reader.row)
    return nothing
end
const feed_string! = feed!
function feed!(reader::CsvReader, chunk::Vector{UInt8})
    return invoke(feed!, Tuple{CsvReader,AbstractVector{UInt8}}, reader, copy(chunk))
end
