# Counts each pair twice.
# Each bit counts by itself: it differs in ones * zeros of all pairs.
function hamming_total(words::AbstractVector{<:Unsigned})
    total = 0
    for bit in 0:8*sizeof(eltype(words))-1
        ones = 0
        for word in words
            ones += Int((word >> bit) & 1)
        end
        total += 2 * ones * (length(words) - ones)
    end
    return total
end
