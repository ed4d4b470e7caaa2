# Goes line by line, and fills up the pieces between the tabs.
function expand_tabs(text::AbstractString, width::Integer = 8)
    width < 1 && throw(ArgumentError("width"))
    map_line(line) = begin
        pieces = split(line, '\t')
        padded = [p * " "^(width - length(p) % width) for p in pieces[1:end-1]]
        join(padded) * pieces[end]
    end
    return join(map(map_line, split(text, '\n')), '\n')
end
