# Words and names as one flat sequence of pairs.
# Needs: Julia 1.9
function invert_index(documents::AbstractDict)
    pairs = Iterators.flatmap(documents) do (name, words)
        (lowercase(word) => String(name) for word in words if !isempty(word))
    end
    index = Dict{String, Vector{String}}()
    for (word, name) in pairs
        push!(get!(Vector{String}, index, word), name)
    end
    foreach(names -> unique!(sort!(names)), values(index))
    index
end
