# Copies each column without its missing elements, and has no answer for an empty one.
function summarize_columns(table::Dict{Symbol, Any}, weights)
    summary = Dict{Symbol, NamedTuple}()
    for (name, column) in table
        eltype(column) <: Union{Missing, Real} || continue
        length(column) == length(weights) || throw(DimensionMismatch("column $name"))
        values = collect(skipmissing(column))
        kept = [w for (w, x) in zip(weights, column) if !ismissing(x)]
        summary[name] = (total = sum(kept .* values), largest = isempty(values) ? missing : maximum(values), count = length(values))
    end
    return summary
end
