# Starts the sums with 0.0, but the closures still box what they capture and the globals have no type.
function mean_and_spread(values)
    isempty(values) && return 0.0, 0.0
    total = 0.0
    foreach(x -> total += x, values)
    mean = total / length(values)
    spread = 0.0
    foreach(x -> spread += abs(x - mean), values)
    return mean, spread / length(values)
end
function smooth(values, weight)
    result = Float64[]
    for x in values
        push!(result, isempty(result) ? x : weight * x + (1 - weight) * result[end])
    end
    return result
end
function histogram(values, bins)
    counts = zeros(Int, bins)
    for x in values
        0 <= x <= 1 && (counts[min(floor(Int, x * bins) + 1, bins)] += 1)
    end
    return counts
end
