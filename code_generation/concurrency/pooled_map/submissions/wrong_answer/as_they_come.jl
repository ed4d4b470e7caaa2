# Puts the results in the order in which the calls end.
function pooled_map(f, items, workers::Integer)
    workers >= 1 || throw(ArgumentError("at least one worker is needed, got $workers"))
    todo = collect(items)
    results = Any[]
    failures = Dict{Int, Any}()
    started = Ref(0)
    @sync for _ in 1:workers
        @async while started[] < length(todo) && isempty(failures)
            i = started[] += 1
            try
                push!(results, f(todo[i]))
            catch exception
                failures[i] = exception
            end
        end
    end
    isempty(failures) || throw(failures[minimum(keys(failures))])
    return identity.(results)
end
