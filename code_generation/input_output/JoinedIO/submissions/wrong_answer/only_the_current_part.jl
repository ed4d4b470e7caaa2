# Takes all bytes of a request from one part.
function Base.eof(io::JoinedIO)
    while io.current <= length(io.parts)
        eof(io.parts[io.current]) || return false
        io.current += 1
    end
    return true
end

# The part with the next byte.
source(io::JoinedIO) = eof(io) ? throw(EOFError()) : io.parts[io.current]

function Base.read(io::JoinedIO, ::Type{UInt8})
    byte = read(source(io), UInt8)
    io.count += 1
    return byte
end

# Characters are read with a look at the next byte, so that a text can be cut anywhere.
Base.peek(io::JoinedIO, ::Type{UInt8}) = peek(source(io), UInt8)
Base.peek(io::JoinedIO) = peek(io, UInt8)

# By as many bytes as the part has at hand.
function Base.unsafe_read(io::JoinedIO, p::Ptr{UInt8}, n::UInt)
    done = UInt(0)
    while done < n
        part = source(io)
        chunk = n - done
        unsafe_read(part, p + done, chunk)
        io.count += Int(chunk)
        done += chunk
    end
    return nothing
end

Base.bytesavailable(io::JoinedIO) = eof(io) ? 0 : bytesavailable(io.parts[io.current])

function Base.readavailable(io::JoinedIO)
    eof(io) && return UInt8[]
    bytes = readavailable(io.parts[io.current])
    io.count += length(bytes)
    return bytes
end

function Base.readbytes!(io::JoinedIO, bytes::AbstractVector{UInt8}, nb = length(bytes))
    done = 0
    while done < nb && !eof(io)
        part = io.parts[io.current]
        chunk = read(part, min(nb - done, max(bytesavailable(part), 1)))
        length(bytes) < done + length(chunk) && resize!(bytes, done + length(chunk))
        copyto!(bytes, done + 1, chunk, 1, length(chunk))
        done += length(chunk)
    end
    io.count += done
    return done
end

Base.position(io::JoinedIO) = io.count

function Base.skip(io::JoinedIO, n::Integer)
    n >= 0 || throw(ArgumentError("cannot go back"))
    for _ in 1:n
        read(io, UInt8)
    end
    return io
end

Base.isreadable(io::JoinedIO) = isopen(io)
Base.iswritable(::JoinedIO) = false
Base.isopen(io::JoinedIO) = any(isopen, io.parts)
Base.close(io::JoinedIO) = foreach(close, io.parts)
