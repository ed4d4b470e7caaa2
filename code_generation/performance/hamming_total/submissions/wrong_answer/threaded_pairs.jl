# Still compares all pairs, only with fewer reads of the outer one.
function hamming_total(words::AbstractVector{<:Unsigned})
    total = 0
    for i in 1:length(words)
        a = words[i]
        total += sum(Int[count_ones(a ⊻ words[j]) for j in i+1:length(words)])
    end
    return total
end
