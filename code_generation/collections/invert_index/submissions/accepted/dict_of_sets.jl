# Collects sets of names, and sorts them at the end.
function invert_index(documents::AbstractDict)
    sets = Dict{String,Set{String}}()
    for (name, words) in documents, w in words
        k = lowercase(String(w))
        k == "" && continue
        push!(get!(sets, k, Set{String}()), String(name))
    end
    return Dict{String,Vector{String}}(k => sort(collect(v)) for (k, v) in sets)
end
