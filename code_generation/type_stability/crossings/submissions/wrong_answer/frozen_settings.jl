# Copies the settings into constants: fast, but changes are not seen any more.
const LEVEL = 0.5
const FACTOR = 2.0
function mean_and_spread(values)
    isempty(values) && return 0.0, 0.0
    mean = Float64(sum(values) / length(values))
    return mean, Float64(sum(x -> abs(x - mean), values) / length(values))
end
function crossings(values)
    count, previous = 0, 0
    for x in values
        side = x >= LEVEL ? 1 : -1
        side == -previous && (count += 1)
        previous = side
    end
    return count
end
function longest_run(condition::Function, values)
    best, run = (0, 0), 0
    for (i, x) in enumerate(values)
        run = condition(x) ? run + 1 : 0
        run > best[2] && (best = (i - run + 1, run))
    end
    return best
end
function smooth(values, weight)
    result = Float64[]
    for x in values
        push!(result, isempty(result) ? x : weight * x + (1 - weight) * result[end])
    end
    return result
end
function first_above(values)
    for (i, x) in enumerate(values)
        x > LEVEL && return i, Float64(x)
    end
    return 0, NaN
end
apply_gain!(values; limit = nothing) = (values .= limit === nothing ? values .* FACTOR : clamp.(values .* FACTOR, -limit, limit); values)
function histogram(values, bins)
    counts = zeros(Int, bins)
    for x in values
        0 <= x <= 1 && (counts[min(floor(Int, x * bins) + 1, bins)] += 1)
    end
    return counts
end
