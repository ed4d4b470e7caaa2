# Does not start anew at column 0 after a newline.
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
                column += 1
            end
        end
    end
end
