# Returns a Dict{Any, Any} instead of the type asked for.
function invert_index(documents::AbstractDict)
    r = Dict()
    for name in sort(collect(keys(documents))), w in unique(lowercase.(documents[name]))
        isempty(w) && continue
        push!(get!(r, w, []), name)
    end
    r
end
