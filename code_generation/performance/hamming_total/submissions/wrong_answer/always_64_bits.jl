# Takes every word for one of 64 bits.
# Each bit counts by itself: it differs in ones * zeros of all pairs.
function hamming_total(words::AbstractVector{<:Unsigned})
    total = 0
    for bit in 0:63
        ones = 0
        for word in words
            ones += Int((word >> bit) & 1)
        end
        total += ones * (length(words) - ones)
    end
    return total
end
