# Reads from an IOBuffer and turns its errors into the right ones.
function lz_unpack(bytes::AbstractVector{UInt8})
    io = IOBuffer(Vector{UInt8}(bytes))
    out = UInt8[]
    byte() = eof(io) ? throw(ArgumentError("truncated")) : read(io, UInt8)
    while !eof(io)
        c = byte()
        if c < 0x80
            for _ in 0:c
                push!(out, byte())
            end
        else
            low, high = byte(), byte()
            distance = 256 * high + low + 1
            distance <= length(out) || throw(ArgumentError("bad offset"))
            for _ in 1:(c - 0x80 + 3)
                push!(out, out[end-distance+1])
            end
        end
    end
    return out
end
