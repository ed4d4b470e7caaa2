# Drops duplicates before lower case makes new ones.
function invert_index(documents::AbstractDict)
    r = Dict{String,Vector{String}}()
    for name in sort(collect(keys(documents))), w in unique(documents[name])
        isempty(w) && continue
        push!(get!(r, lowercase(w), String[]), name)
    end
    r
end
