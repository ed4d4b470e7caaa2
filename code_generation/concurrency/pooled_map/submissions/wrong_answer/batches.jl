# Works in batches: a batch has to end before the next one starts.
function pooled_map(f, items, workers::Integer)
    workers >= 1 || throw(ArgumentError("at least one worker is needed, got $workers"))
    results = Any[]
    for batch in Iterators.partition(collect(items), workers)
        outcomes = map(batch) do item
            @async try
                (true, f(item))
            catch e
                (false, e)
            end
        end
        for (ok, value) in map(fetch, outcomes)
            ok || throw(value)
            push!(results, value)
        end
    end
    return results
end
