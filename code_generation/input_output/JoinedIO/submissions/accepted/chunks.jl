# The current part is found anew for each request; whatever is read in bulk is read by chunks of a part.
function advance!(io::JoinedIO)
    while io.current <= length(io.parts) && eof(io.parts[io.current])
        io.current += 1
    end
    return io.current <= length(io.parts) ? io.parts[io.current] : nothing
end

Base.eof(io::JoinedIO) = advance!(io) === nothing
function some(io::JoinedIO)
    part = advance!(io)
    part === nothing && throw(EOFError())
    return part
end
function Base.read(io::JoinedIO, ::Type{UInt8})
    b = read(some(io), UInt8)
    io.count += 1
    return b
end
Base.peek(io::JoinedIO, ::Type{UInt8}) = peek(some(io), UInt8)
Base.bytesavailable(io::JoinedIO) = (part = advance!(io); part === nothing ? 0 : bytesavailable(part))
Base.readavailable(io::JoinedIO) = take_chunk!(io, typemax(Int))
Base.position(io::JoinedIO) = io.count
Base.isopen(io::JoinedIO) = !isempty(io.parts) && any(isopen, io.parts)
Base.close(io::JoinedIO) = (foreach(close, io.parts); nothing)
Base.isreadable(io::JoinedIO) = isopen(io)
Base.iswritable(io::JoinedIO) = false

# At most n bytes of the current part.
function take_chunk!(io::JoinedIO, n::Integer)
    part = advance!(io)
    part === nothing && return UInt8[]
    bytes = read(part, Int(min(n, max(1, bytesavailable(part)))))
    io.count += length(bytes)
    return bytes
end

function Base.unsafe_read(io::JoinedIO, p::Ptr{UInt8}, n::UInt)
    while n > 0
        bytes = take_chunk!(io, n)
        isempty(bytes) && throw(EOFError())
        GC.@preserve bytes unsafe_copyto!(p, pointer(bytes), length(bytes))
        p += length(bytes)
        n -= UInt(length(bytes))
    end
    return nothing
end

function Base.read(io::JoinedIO, n::Integer)
    bytes = UInt8[]
    while length(bytes) < n && !eof(io)
        append!(bytes, take_chunk!(io, n - length(bytes)))
    end
    return bytes
end
Base.read(io::JoinedIO) = read(io, typemax(Int))

function Base.readbytes!(io::JoinedIO, target::AbstractVector{UInt8}, nb = length(target))
    bytes = read(io, nb)
    length(target) < length(bytes) && resize!(target, length(bytes))
    copyto!(target, 1, bytes, 1, length(bytes))
    return length(bytes)
end

function Base.skip(io::JoinedIO, n::Integer)
    length(read(io, n)) == n || throw(EOFError())
    return io
end
