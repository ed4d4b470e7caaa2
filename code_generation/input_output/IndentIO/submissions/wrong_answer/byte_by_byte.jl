# Writes single bytes: right results, but one call of the inner stream for each byte.
function Base.write(io::IndentIO, byte::UInt8)
    io.at_line_start && byte != 0x0a && write(io.inner, io.prefix)
    io.at_line_start = byte == 0x0a
    return write(io.inner, byte)
end
Base.flush(io::IndentIO) = flush(io.inner)
Base.close(io::IndentIO) = close(io.inner)
Base.isopen(io::IndentIO) = isopen(io.inner)
Base.iswritable(io::IndentIO) = iswritable(io.inner)
Base.isreadable(io::IndentIO) = false
Base.displaysize(io::IndentIO) = displaysize(io.inner)
Base.get(io::IndentIO, key, default) = io.inner isa Union{IOContext,IndentIO} ? get(io.inner, key, default) : default
Base.haskey(io::IndentIO, key) = io.inner isa Union{IOContext,IndentIO} && haskey(io.inner, key)
Base.getindex(io::IndentIO, key) = haskey(io, key) ? io.inner[key] : throw(KeyError(key))
Base.in(p::Pair, io::IndentIO) = haskey(io, p[1]) && io[p[1]] == p[2]
