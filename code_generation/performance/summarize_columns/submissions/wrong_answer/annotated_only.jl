# Type annotations in the loop instead of a barrier.
function summarize_columns(table::Dict{Symbol, Any}, weights)
    summary = Dict{Symbol, NamedTuple}()
    for (name, column) in table
        eltype(column) <: Union{Missing, Real} || continue
        length(column) == length(weights) || throw(DimensionMismatch("column $name"))
        total::Float64, largest, count::Int = 0.0, missing, 0
        for i in 1:length(column)
            x = column[i]
            ismissing(x) && continue
            total += weights[i] * x
            (ismissing(largest) || isless(largest, x)) && (largest = x)
            count += 1
        end
        summary[name] = (total = total, largest = largest, count = count)
    end
    return summary
end
