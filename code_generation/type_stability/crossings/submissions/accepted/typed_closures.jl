# Keeps closures, with typed references instead of captured variables; the settings live in one struct.
mutable struct Settings
    threshold::Float64
    gain::Float64
end
const SETTINGS = Settings(0.5, 2.0)

set_threshold!(value::Real) = (SETTINGS.threshold = value; SETTINGS.threshold)
set_gain!(value::Real) = (SETTINGS.gain = value; SETTINGS.gain)

function mean_and_spread(values)
    n = length(values)
    n == 0 && return (0.0, 0.0)
    mean = Float64(foldl(+, values) / n)
    return (mean, Float64(mapreduce(x -> abs(x - mean), +, values) / n))
end

function crossings(values)
    level = SETTINGS.threshold
    flips, previous = 0, 0
    for x in values
        side = x >= level ? 1 : -1
        side == -previous && (flips += 1)
        previous = side
    end
    return flips
end

function longest_run(condition::Function, values)
    best_start, best_length = 0, 0
    start, n = 0, 0
    for x in values
        n += 1
        if condition(x)
            start == 0 && (start = n)
            if n - start + 1 > best_length
                best_start, best_length = start, n - start + 1
            end
        else
            start = 0
        end
    end
    return best_start, best_length
end

function smooth(values, weight)
    result = Float64[]
    for x in values
        push!(result, isempty(result) ? Float64(x) : weight * x + (1 - weight) * result[end])
    end
    return result
end

function first_above(values)
    i = findfirst(let level = SETTINGS.threshold
        x -> x > level
    end, values)
    return i === nothing ? (0, NaN) : (Int(i), Float64(values[i]))
end

limited(x, ::Nothing) = x
limited(x, limit) = clamp(x, -limit, limit)

function apply_gain!(values; limit = nothing)
    gain = SETTINGS.gain
    map!(x -> limited(x * gain, limit), values, values)
    return values
end

function histogram(values, bins)
    counts = zeros(Int, bins)
    foreach(values) do x
        if 0 <= x <= 1
            bin = x == 1 ? bins : floor(Int, x * bins) + 1
            counts[min(bin, bins)] += 1
        end
    end
    return counts
end
