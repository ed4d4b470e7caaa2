# Turns the pattern into a regular expression: bad patterns give other errors, and many stars exceed the limit.
function glob_match(pattern::AbstractString, text::AbstractString)
    io = IOBuffer()
    chars = collect(pattern)
    i = 1
    while i <= length(chars)
        c = chars[i]
        if c == '*'
            if i < length(chars) && chars[i + 1] == '*'
                print(io, ".*")
                while i < length(chars) && chars[i + 1] == '*'
                    i += 1
                end
            else
                print(io, "[^/]*")
            end
        elseif c == '?'
            print(io, "[^/]")
        elseif c == '['
            j = findnext(isequal(']'), chars, i + 1)
            j === nothing && throw(ArgumentError("brackets are not closed"))
            body = String(chars[i+1:j-1])
            print(io, "(?!/)[", startswith(body, "!") ? "^" * body[2:end] : body, "]")
            i = j
        elseif c == '\\'
            i == length(chars) && throw(ArgumentError("ends with a backslash"))
            i += 1
            print(io, "\\Q", chars[i], "\\E")
        else
            print(io, "\\Q", c, "\\E")
        end
        i += 1
    end
    return occursin(Regex("^" * String(take!(io)) * "\$", "s"), text)
end
