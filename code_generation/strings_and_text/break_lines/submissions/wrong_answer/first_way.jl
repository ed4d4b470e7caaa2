# Keeps the way with the fewest words in the first line.
function break_lines(text::AbstractString, width::Integer)
    width >= 1 || throw(ArgumentError("the width must be at least 1, got $width"))
    words = split(text)
    n = length(words)
    # For the words from i on: the cost of the best way, and the last word of its first line.
    best = zeros(Int, n + 1)
    last_word = zeros(Int, n)
    for i in n:-1:1
        used = -1
        for j in i:n
            used += 1 + length(words[j])
            used <= width || j == i || break
            # A word that is too long is alone in every way, so its cost makes no difference.
            cost = (j == n ? 0 : (width - used)^2) + best[j+1]
            # Later ones have more words in the first line.
            if j == i || cost < best[i]
                best[i], last_word[i] = cost, j
            end
        end
    end
    lines = String[]
    i = 1
    while i <= n
        push!(lines, join(words[i:last_word[i]], " "))
        i = last_word[i] + 1
    end
    return lines
end
