# Puts an empty line before a first word that is too long.
function wrap_words(text::AbstractString, width::Integer)
    width >= 1 || throw(ArgumentError("w"))
    lines = String[]; line = ""
    for word in split(text)
        if length(line) + length(word) + (line == "" ? 0 : 1) <= width
            line = line == "" ? String(word) : line * " " * word
        else
            push!(lines, line); line = String(word)
        end
    end
    line == "" || push!(lines, line)
    lines
end
