# Knows the letters from A to Z only.
function to_snake_case(name::AbstractString)
    s = replace(String(name), r"([A-Z]+)([A-Z][a-z])" => s"\1_\2")
    s = replace(s, r"([a-z0-9])([A-Z])" => s"\1_\2")
    return String(strip(replace(lowercase(s), r"[_\- ]+" => "_"), '_'))
end
