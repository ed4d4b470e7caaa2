# Fills each line as far as it goes.
function break_lines(text::AbstractString, width::Integer)
    width >= 1 || throw(ArgumentError("width"))
    lines = String[]
    for word in split(text)
        if !isempty(lines) && length(lines[end]) + 1 + length(word) <= width
            lines[end] *= " " * word
        else
            push!(lines, word)
        end
    end
    return lines
end
