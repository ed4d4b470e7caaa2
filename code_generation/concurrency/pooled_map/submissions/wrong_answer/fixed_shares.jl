# Gives every worker its share in advance.
function pooled_map(f, items, workers::Integer)
    workers >= 1 || throw(ArgumentError("at least one worker is needed, got $workers"))
    todo = collect(items)
    results = Vector{Any}(undef, length(todo))
    failures = Dict{Int, Any}()
    started = Ref(0)
    @sync for worker in 1:workers
        @async for i in worker:workers:length(todo)
            isempty(failures) || break
            try
                results[i] = f(todo[i])
            catch exception
                failures[i] = exception
            end
        end
    end
    isempty(failures) || throw(failures[minimum(keys(failures))])
    return identity.(results)
end
