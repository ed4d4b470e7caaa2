# Keeps only the last partner of each key.
columns(table) = isempty(table) ? Symbol[] : collect(keys(first(table)))

function check_columns(left, right, key)
    for table in (left, right)
        isempty(table) || key in columns(table) || throw(ArgumentError("a table has no column $key"))
    end
    shared = setdiff(intersect(columns(left), columns(right)), [key])
    isempty(shared) || throw(ArgumentError("both tables have the columns $shared"))
end

function left_join(left::AbstractVector, right::AbstractVector, key::Symbol)
    check_columns(left, right, key)
    names = Tuple(setdiff(columns(right), [key]))
    no_partner = [NamedTuple{names}(map(_ -> missing, names))]
    partners = Dict{Any, Vector{Any}}()
    for row in right
        partners[row[key]] = [NamedTuple{names}(row)]
    end
    return [merge(row, partner) for row in left for partner in get(partners, row[key], no_partner)]
end
