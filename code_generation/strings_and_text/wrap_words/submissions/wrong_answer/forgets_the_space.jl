# Forgets the space between words when it measures a line.
function wrap_words(text::AbstractString, width::Integer)
    width >= 1 || throw(ArgumentError("w"))
    lines = String[]
    for word in split(text)
        if !isempty(lines) && length(lines[end]) + length(word) <= width
            lines[end] *= " " * word
        else
            push!(lines, word)
        end
    end
    lines
end
