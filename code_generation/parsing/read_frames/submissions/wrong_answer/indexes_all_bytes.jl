# Reads everything and cuts out ranges, which gives a BoundsError for a frame that ends too early.
function read_frames(io::IO)
    data = read(io)
    out = Vector{UInt8}[]
    i = 1
    while i <= length(data)
        data[i] == 0xa5 || throw(ArgumentError("start byte"))
        n = Int(data[i + 1]) << 8 + data[i + 2]
        payload = data[i+3:i+2+n]
        data[i + 3 + n] == sum(payload) % UInt8 || throw(ArgumentError("checksum"))
        push!(out, payload)
        i += n + 4
    end
    return out
end
function write_frame(io::IO, payload::AbstractVector{UInt8})
    n = length(payload)
    n > 65535 && throw(ArgumentError("too long"))
    return write(io, 0xa5, UInt8(n >> 8), UInt8(n & 0xff), collect(payload), sum(payload) % UInt8)
end
