# Compares keys with ==, so missing breaks it and NaN finds no partner.
function left_join(left::AbstractVector, right::AbstractVector, key::Symbol)
    for table in (left, right)
        isempty(table) || haskey(table[1], key) || throw(ArgumentError("no column $key"))
    end
    names = isempty(right) ? () : Tuple(n for n in keys(right[1]) if n != key)
    isempty(left) || any(n -> haskey(left[1], n), names) && throw(ArgumentError("shared columns"))
    result = []
    for row in left
        found = false
        for other in right
            if row[key] == other[key]
                push!(result, merge(row, NamedTuple{names}(other)))
                found = true
            end
        end
        found || push!(result, merge(row, NamedTuple{names}(map(n -> missing, names))))
    end
    return result
end
