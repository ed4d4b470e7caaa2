# Finds words by a regular expression, and counts the length of the line along.
function wrap_words(text::AbstractString, width::Integer)
    if width < 1
        throw(ArgumentError("bad width"))
    end
    out = String[]
    cur = String[]; len = 0
    for m in eachmatch(r"\S+", text)
        w = String(m.match)
        extra = isempty(cur) ? length(w) : length(w) + 1
        if !isempty(cur) && len + extra > width
            push!(out, join(cur, " ")); cur = String[]; len = 0; extra = length(w)
        end
        push!(cur, w); len += extra
    end
    isempty(cur) || push!(out, join(cur, " "))
    out
end
