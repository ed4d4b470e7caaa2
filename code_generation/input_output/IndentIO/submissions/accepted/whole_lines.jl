# Copies the bytes into a vector and passes on slices of it.
function Base.unsafe_write(io::IndentIO, p::Ptr{UInt8}, n::UInt)
    bytes = copy(unsafe_wrap(Vector{UInt8}, p, Int(n)))
    put(io, bytes)
    return Int(n)
end

Base.write(io::IndentIO, byte::UInt8) = (put(io, UInt8[byte]); 1)

function put(io::IndentIO, bytes)
    first_byte = 1
    while first_byte <= length(bytes)
        stop = findnext(isequal(0x0a), bytes, first_byte)
        last_byte = something(stop, length(bytes))
        if io.at_line_start && bytes[first_byte] != 0x0a
            print(io.inner, io.prefix)
        end
        write(io.inner, bytes[first_byte:last_byte])
        io.at_line_start = stop !== nothing
        first_byte = last_byte + 1
    end
end

for f in (:flush, :close, :isopen, :iswritable, :displaysize)
    @eval Base.$f(io::IndentIO) = $f(io.inner)
end
Base.isreadable(::IndentIO) = false

innermost(io::IndentIO) = innermost(io.inner)
innermost(io) = io
Base.get(io::IndentIO, key, default) = get(innermost(io), key, default)
Base.haskey(io::IndentIO, key) = (c = innermost(io); c isa IOContext && haskey(c, key))
Base.getindex(io::IndentIO, key) = (c = innermost(io); c isa IOContext ? c[key] : throw(KeyError(key)))
Base.in(pair::Pair, io::IndentIO) = (c = innermost(io); c isa IOContext && in(pair, c))
