# Asserts the types of the results: inferred, but everything inside is as dynamic and allocates as before.
const OLD = (mean_and_spread = mean_and_spread,)
function mean_and_spread(values)
    isempty(values) && return 0.0, 0.0
    total = Any[0.0]
    foreach(x -> total[1] += x, values)
    mean = (total[1] / length(values))::Float64
    spread = Any[0.0]
    foreach(x -> spread[1] += abs(x - mean), values)
    return mean, (spread[1] / length(values))::Float64
end
function crossings(values)
    count = 0
    above = nothing
    for x in values
        now = x >= threshold
        above !== nothing && now != above && (count += 1)
        above = now
    end
    return count::Int
end
function first_above(values)
    for (i, x) in enumerate(values)
        x > threshold && return i::Int, Float64(x)
    end
    return 0, NaN
end
