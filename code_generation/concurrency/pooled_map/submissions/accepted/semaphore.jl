# One task for each item, started as a semaphore allows.
function pooled_map(f, items, workers::Integer)
    workers < 1 && throw(ArgumentError("workers < 1"))
    permits = Base.Semaphore(Int(workers))
    outcomes, tasks = Any[], Task[]
    failed = Ref(false)
    for (i, item) in enumerate(items)
        Base.acquire(permits)
        failed[] && break
        push!(outcomes, nothing)
        push!(tasks, @async begin
            try
                outcomes[i] = (:ok, f(item))
            catch e
                failed[] = true
                outcomes[i] = (:failed, e)
            end
            Base.release(permits)
        end)
    end
    foreach(wait, tasks)
    for (kind, value) in outcomes
        kind === :failed && throw(value)
    end
    return [value for (_, value) in outcomes]
end
