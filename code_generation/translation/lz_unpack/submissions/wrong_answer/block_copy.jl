# Copies a whole block at once.
function lz_unpack(bytes::AbstractVector{UInt8})
    out = UInt8[]
    next = 1
    need(n) = next + n - 1 <= length(bytes) || throw(ArgumentError("the input ends too early"))
    while next <= length(bytes)
        c = Int(bytes[next])
        next += 1
        if c < 0x80
            need(c + 1)
            append!(out, @view bytes[next:next+c])
            next += c + 1
        else
            need(2)
            offset = Int(bytes[next]) | Int(bytes[next+1]) << 8
            next += 2
            source = length(out) - offset
            source >= 1 || throw(ArgumentError("a copy from before the beginning"))
            # Byte by byte: what is copied can be what was just written.
            append!(out, out[source:min(source+(c & 0x7f)+2, end)])
        end
    end
    return out
end
