# Collects the positions of each key on the right, and builds the rows by pushing.
function left_join(left::AbstractVector, right::AbstractVector, key::Symbol)
    if !isempty(left) && !haskey(left[1], key) || !isempty(right) && !haskey(right[1], key)
        throw(ArgumentError("no column $key"))
    end
    result = NamedTuple[]
    extra = isempty(right) ? Symbol[] : [c for c in keys(right[1]) if c != key]
    isempty(left) && return result
    any(c -> haskey(left[1], c), extra) && throw(ArgumentError("shared columns"))
    positions = Dict{Any, Vector{Int}}()
    for i in eachindex(right)
        push!(get!(positions, right[i][key], Int[]), i)
    end
    for row in left
        if haskey(positions, row[key])
            for i in positions[row[key]]
                push!(result, (; pairs(row)..., (c => right[i][c] for c in extra)...))
            end
        else
            push!(result, (; pairs(row)..., (c => missing for c in extra)...))
        end
    end
    return result
end
