# Starts a word at every uppercase letter, so acronyms fall apart.
function to_snake_case(name::AbstractString)
    s = replace(String(name), r"(\p{Lu})" => s"_\1")
    return String(strip(replace(lowercase(s), r"[_\- ]+" => "_"), '_'))
end
