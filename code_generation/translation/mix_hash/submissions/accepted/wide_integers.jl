# Calculates in Int64 and cuts to 32 bits after each step.
low32(x) = x & 0xffffffff
signed8(x) = (x & 0xff) >= 0x80 ? (x & 0xff) - 256 : x & 0xff
signed32(x) = low32(x) >= 0x80000000 ? low32(x) - 2^32 : low32(x)
mix_hash(text::String, seed::Int32) = mix_hash(Vector{UInt8}(text), seed)
function mix_hash(data::AbstractVector{UInt8}, seed::Int32)
    s = Int64(seed)
    h = low32(s) ⊻ length(data)
    last = 0
    for i in 1:length(data)
        x = Int64(data[i])
        twisted = ((x << 3) | (x >> 5)) & 0xff
        last = signed8(x - last)
        h = low32(h ⊻ low32(twisted + last))
        h = Int64(low32(Int128(h) * 0x9E3779B1))
        h = low32((h << 13) | (h >> 19))
        (i - 1) % 3 == 2 && (h = low32(h + (signed32(h) >> 7)))
    end
    h = h ⊻ (h >> 16)
    h = low32(h - (low32(s ÷ 3) + low32(s % 3)))
    return ~UInt32(h)
end
