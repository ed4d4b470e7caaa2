# The loop in a method for each kind of column, with the largest element in a typed variable.
function summarize_columns(table::Dict{Symbol, Any}, weights)
    out = Dict{Symbol, NamedTuple}()
    for name in keys(table)
        column = table[name]
        add!(out, name, column, weights)
    end
    return out
end
add!(out, name, column, weights) = nothing
function add!(out, name, column::AbstractVector{<:Union{Missing, Real}}, weights)
    length(column) == length(weights) || throw(DimensionMismatch("$name"))
    total = 0.0
    count = 0
    best = 0
    for i in eachindex(column, weights)
        x = column[i]
        if x !== missing
            total += weights[i] * x
            count += 1
            (best == 0 || isless(column[best], x)) && (best = i)
        end
    end
    largest = best == 0 ? missing : column[best]
    out[name] = (total = total, largest = largest, count = count)
    nothing
end
