# Writes the prefix right behind each line end, also for lines without a byte, and counts what it wrote.
function Base.unsafe_write(io::IndentIO, p::Ptr{UInt8}, n::UInt)
    text = unsafe_string(p, n)
    io.at_line_start && n > 0 && write(io.inner, io.prefix)
    io.at_line_start = false
    ends = endswith(text, "\n")
    body = ends ? chop(text) : text
    written = write(io.inner, replace(body, "\n" => "\n" * io.prefix))
    if ends
        written += write(io.inner, "\n")
        io.at_line_start = true
    end
    return written
end
Base.write(io::IndentIO, byte::UInt8) = write(io, [byte])
Base.flush(io::IndentIO) = flush(io.inner)
Base.close(io::IndentIO) = close(io.inner)
Base.isopen(io::IndentIO) = isopen(io.inner)
Base.iswritable(io::IndentIO) = iswritable(io.inner)
Base.isreadable(io::IndentIO) = false
Base.displaysize(io::IndentIO) = displaysize(io.inner)
Base.get(io::IndentIO, key, default) = get(io.inner, key, default)
