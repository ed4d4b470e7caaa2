# The counters are of the type of the words, and wrap around.
# Each bit counts by itself: it differs in ones * zeros of all pairs.
function hamming_total(words::AbstractVector{<:Unsigned})
    total = 0
    for bit in 0:8*sizeof(eltype(words))-1
        ones = zero(eltype(words))
        for word in words
            ones += (word >> bit) & one(word)
        end
        ones = Int(ones)
        total += ones * (length(words) - ones)
    end
    return total
end
