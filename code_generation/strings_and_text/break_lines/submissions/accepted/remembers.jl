# Recursion with a memory, comparing whole keys.
function break_lines(text::AbstractString, width::Integer)
    width < 1 && throw(ArgumentError("width"))
    words = split(text)
    memory = Dict{Int, Any}(length(words) + 1 => (0, 0))
    for i in length(words):-1:1
        candidates = Any[]
        for j in i:length(words)
            size = sum(length, words[i:j]) + j - i
            size > width && j > i && break
            here = j == length(words) || size > width ? 0 : (width - size)^2
            push!(candidates, (memory[j+1][1] + here, -j))
        end
        cost, j = minimum(candidates)
        memory[i] = (cost, -j)
    end
    result = String[]
    i = 1
    while i <= length(words)
        j = memory[i][2]
        push!(result, join(words[i:j], ' '))
        i = j + 1
    end
    return result
end
