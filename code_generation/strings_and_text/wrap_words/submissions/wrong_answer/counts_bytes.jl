# Counts bytes instead of characters.
function wrap_words(text::AbstractString, width::Integer)
    width >= 1 || throw(ArgumentError("w"))
    lines = String[]
    for word in split(text)
        if !isempty(lines) && sizeof(lines[end]) + 1 + sizeof(word) <= width
            lines[end] *= " " * word
        else
            push!(lines, word)
        end
    end
    lines
end
