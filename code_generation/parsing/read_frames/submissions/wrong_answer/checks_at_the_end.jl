# Reads the whole frame before it looks at the start byte.
const START_BYTE = 0xa5

checksum(payload) = sum(payload) % UInt8

function read_frame(io)
    start = read(io, UInt8)
    payload = read!(io, Vector{UInt8}(undef, ntoh(read(io, UInt16))))
    read(io, UInt8) == checksum(payload) || throw(ArgumentError("wrong checksum"))
    start == START_BYTE || throw(ArgumentError("a frame must start with $START_BYTE"))
    return payload
end

function read_frames(io::IO)
    payloads = Vector{UInt8}[]
    while !eof(io)
        push!(payloads, read_frame(io))
    end
    return payloads
end

function write_frame(io::IO, payload::AbstractVector{UInt8})
    length(payload) <= typemax(UInt16) || throw(ArgumentError("a payload has at most $(typemax(UInt16)) bytes"))
    return write(io, START_BYTE, hton(UInt16(length(payload))), Vector{UInt8}(payload), checksum(payload))
end
