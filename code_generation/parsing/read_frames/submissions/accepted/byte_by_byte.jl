# Reads and writes single bytes, and keeps the checksum along the way.
function read_frames(io::IO)
    out = Vector{Vector{UInt8}}()
    while !eof(io)
        read(io, UInt8) == 0xa5 || throw(ArgumentError("start byte"))
        high = Int(read(io, UInt8))
        low = Int(read(io, UInt8))
        payload = UInt8[]
        total = 0
        for _ in 1:(256 * high + low)
            b = read(io, UInt8)
            push!(payload, b)
            total += b
        end
        read(io, UInt8) == mod(total, 256) || throw(ArgumentError("checksum"))
        push!(out, payload)
    end
    return out
end
function write_frame(io::IO, payload::AbstractVector{UInt8})
    n = length(payload)
    n > 65535 && throw(ArgumentError("too long"))
    head = UInt8[0xa5, n >> 8, n & 0xff]
    tail = reduce(+, payload; init = 0x00) % UInt8
    for b in head
        write(io, b)
    end
    for b in payload
        write(io, b)
    end
    write(io, tail)
    return n + 4
end
