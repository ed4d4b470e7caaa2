# Exceptions come out of @sync, wrapped.
function pooled_map(f, items, workers::Integer)
    workers >= 1 || throw(ArgumentError("at least one worker is needed, got $workers"))
    todo = collect(items)
    results = Vector{Any}(undef, length(todo))
    failures = Dict{Int, Any}()
    started = Ref(0)
    @sync for _ in 1:workers
        @async while started[] < length(todo) && isempty(failures)
            i = started[] += 1
            results[i] = f(todo[i])
        end
    end
    isempty(failures) || throw(failures[minimum(keys(failures))])
    return identity.(results)
end
