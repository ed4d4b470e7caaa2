# Replaces every tab by the same number of spaces.
function expand_tabs(text::AbstractString, width::Integer = 8)
    width >= 1 || throw(ArgumentError("width must be at least 1"))
    return replace(String(text), '\t' => ' '^width)
end
