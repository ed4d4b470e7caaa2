# Marks the borders with two regular expressions.
function to_snake_case(name::AbstractString)
    s = replace(String(name), r"(\p{Lu})(?=\p{Lu}\p{Ll})" => s"\1_")
    s = replace(s, r"([\p{Ll}0-9])(?=\p{Lu})" => s"\1_")
    s = replace(s, r"[_\- ]+" => "_")
    return String(strip(lowercase(s), '_'))
end
