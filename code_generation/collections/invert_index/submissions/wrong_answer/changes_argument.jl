# Changes the word lists of the caller.
function invert_index(documents::AbstractDict)
    r = Dict{String,Vector{String}}()
    for name in sort(collect(keys(documents)))
        for w in unique!(filter!(!isempty, map!(lowercase, documents[name], documents[name])))
            push!(get!(r, w, String[]), name)
        end
    end
    r
end
