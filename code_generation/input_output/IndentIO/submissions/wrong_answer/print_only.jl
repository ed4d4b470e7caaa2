# Defines print and write for texts, but not what the rest of Base builds upon.
function Base.write(io::IndentIO, text::String)
    for line in split(text, r"(?<=\n)"; keepempty = false)
        io.at_line_start && line != "\n" && write(io.inner, io.prefix)
        write(io.inner, String(line))
        io.at_line_start = endswith(line, "\n")
    end
    return sizeof(text)
end
Base.print(io::IndentIO, x) = (write(io, string(x)); nothing)
Base.print(io::IndentIO, xs...) = foreach(x -> print(io, x), xs)
Base.println(io::IndentIO, xs...) = print(io, xs..., "\n")
Base.flush(io::IndentIO) = flush(io.inner)
Base.close(io::IndentIO) = close(io.inner)
Base.isopen(io::IndentIO) = isopen(io.inner)
Base.iswritable(io::IndentIO) = iswritable(io.inner)
Base.isreadable(io::IndentIO) = false
Base.displaysize(io::IndentIO) = displaysize(io.inner)
Base.get(io::IndentIO, key, default) = get(io.inner, key, default)
