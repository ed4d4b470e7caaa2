# Splits at spaces only, not at tabs and line breaks.
function wrap_words(text::AbstractString, width::Integer)
    width >= 1 || throw(ArgumentError("w"))
    lines = String[]
    for word in split(text, " "; keepempty=false)
        if !isempty(lines) && length(lines[end]) + 1 + length(word) <= width
            lines[end] *= " " * word
        else
            push!(lines, word)
        end
    end
    lines
end
