# Starts a word at the first digit too.
function to_snake_case(name::AbstractString)
    s = replace(String(name), r"(\p{Lu}+)(\p{Lu}\p{Ll})" => s"\1_\2")
    s = replace(s, r"([\p{Ll}0-9])(\p{Lu})" => s"\1_\2")
    s = replace(s, r"(\p{L})([0-9])" => s"\1_\2")
    return String(strip(replace(lowercase(s), r"[_\- ]+" => "_"), '_'))
end
