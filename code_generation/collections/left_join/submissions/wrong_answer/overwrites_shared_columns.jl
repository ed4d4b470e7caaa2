# Lets the right table overwrite columns of the left one.
columns(table) = isempty(table) ? Symbol[] : collect(keys(first(table)))

function check_columns(left, right, key)
    for table in (left, right)
        isempty(table) || key in columns(table) || throw(ArgumentError("a table has no column $key"))
    end
    shared = setdiff(intersect(columns(left), columns(right)), [key])

end

function left_join(left::AbstractVector, right::AbstractVector, key::Symbol)
    check_columns(left, right, key)
    names = Tuple(setdiff(columns(right), [key]))
    no_partner = [NamedTuple{names}(map(_ -> missing, names))]
    partners = Dict{Any, Vector{Any}}()
    for row in right
        push!(get!(() -> [], partners, row[key]), NamedTuple{names}(row))
    end
    return [merge(row, partner) for row in left for partner in get(partners, row[key], no_partner)]
end
