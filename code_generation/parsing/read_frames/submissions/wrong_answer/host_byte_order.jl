# Reads and writes the length in the byte order of the machine.
const START_BYTE = 0xa5

checksum(payload) = sum(payload) % UInt8

function read_frame(io)
    read(io, UInt8) == START_BYTE || throw(ArgumentError("a frame must start with $START_BYTE"))
    payload = read!(io, Vector{UInt8}(undef, read(io, UInt16)))
    read(io, UInt8) == checksum(payload) || throw(ArgumentError("wrong checksum"))
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
    return write(io, START_BYTE, UInt16(length(payload)), Vector{UInt8}(payload), checksum(payload))
end
