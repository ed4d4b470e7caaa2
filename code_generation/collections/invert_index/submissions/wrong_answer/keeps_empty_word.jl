# Keeps the empty word.
function invert_index(documents::AbstractDict)
    r = Dict{String,Vector{String}}()
    for name in sort(collect(keys(documents))), w in unique(lowercase.(documents[name]))
        push!(get!(r, w, String[]), name)
    end
    r
end
