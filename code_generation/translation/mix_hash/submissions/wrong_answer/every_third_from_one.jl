# Counts from 1 as if it were from 0.
mix_hash(text::String, seed::Int32) = mix_hash(codeunits(text), seed)

function mix_hash(data::AbstractVector{UInt8}, seed::Int32)
    h = seed % UInt32 ⊻ length(data) % UInt32
    last = Int32(0)
    for (i, byte) in enumerate(data)
        twisted = bitrotate(byte, 3)
        last = (byte - last) % Int8
        h ⊻= (Int32(twisted) + last) % UInt32
        h *= 0x9E3779B1
        h = bitrotate(h, 13)
        if i % 3 == 2
            h += ((h % Int32) >> 7) % UInt32
        end
    end
    h ⊻= h >> 16
    h -= (div(seed, Int32(3)) % UInt32) + (rem(seed, Int32(3)) % UInt32)
    return ~h
end
