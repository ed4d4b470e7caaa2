# Counts bytes instead of characters.
function expand_tabs(text::AbstractString, width::Integer = 8)
    width >= 1 || throw(ArgumentError("width must be at least 1, got $width"))
    return sprint() do io
        column = 0
        for c in text
            if c == '\t'
                spaces = width - column % width
                print(io, ' '^spaces)
                column += spaces
            else
                print(io, c)
                column = c == '\n' ? 0 : column + ncodeunits(c)
            end
        end
    end
end
