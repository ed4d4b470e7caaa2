# Converts every column to Float64.
function summarize_columns(table::Dict{Symbol, Any}, weights)
    summary = Dict{Symbol, NamedTuple}()
    for (name, column) in table
        eltype(column) <: Union{Missing, Real} || continue
        length(column) == length(weights) || throw(DimensionMismatch("column $name"))
        summary[name] = summarize_column(convert(Vector{Union{Missing, Float64}}, column), weights)
    end
    return summary
end

# A function of its own, so that it is compiled for the type of the column. The largest element so far is remembered by its
# position: a variable that can be missing or a number would be a box.
function summarize_column(column, weights)
    total, at, count = 0.0, 0, 0
    for (i, x) in enumerate(column)
        ismissing(x) && continue
        total += weights[i] * x
        if at == 0 || isless(column[at], x)
            at = i
        end
        count += 1
    end
    return (total = total, largest = at == 0 ? missing : column[at], count = count)
end
