# Rows are joined by a generator that is flattened, with names in place of keyword pairs.
# Needs: Julia 1.9
function left_join(left::AbstractVector, right::AbstractVector, key::Symbol)
    for table in (left, right)
        isempty(table) || hasproperty(first(table), key) || throw(ArgumentError("no column $key"))
    end
    if !isempty(left) && !isempty(right)
        common = intersect(propertynames(first(left)), propertynames(first(right)))
        allequal([key, common...]) || throw(ArgumentError("columns in both tables: $common"))
    end
    isempty(right) && return collect(left)
    others = filter(!=(key), propertynames(first(right)))
    alone = NamedTuple(name => missing for name in others)
    rest(row) = NamedTuple(name => row[name] for name in others)
    partners(row) = Iterators.filter(other -> isequal(row[key], other[key]), right)
    collect(Iterators.flatmap(left) do row
        found = [merge(row, rest(other)) for other in partners(row)]
        isempty(found) ? [merge(row, alone)] : found
    end)
end
