# All replacements in one call.
# Needs: Julia 1.7
function to_snake_case(name::AbstractString)
    marked = replace(name, r"(?<=\p{Ll}|[0-9])(?=[\p{Lu}\p{Lt}])" => "_", r"(?<=[\p{Lu}\p{Lt}])(?=[\p{Lu}\p{Lt}]\p{Ll})" => "_")
    join((lowercase(part) for part in split(marked, ('_', '-', ' '); keepempty = false)), '_')
end
