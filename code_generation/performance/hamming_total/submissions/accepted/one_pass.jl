# One pass over the words, with a counter for each bit.
function hamming_total(words::AbstractVector{T}) where {T <: Unsigned}
    counts = zeros(Int, 8 * sizeof(T))
    n = length(words)
    for w in words
        while w != 0
            counts[trailing_zeros(w) + 1] += 1
            w &= w - one(T)
        end
    end
    return sum(c -> c * (n - c), counts)
end
