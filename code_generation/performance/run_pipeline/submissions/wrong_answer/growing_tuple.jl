# A loop with a tuple that grows: its type changes in every round.
function run_pipeline(stages::Tuple, x)
    results = (x,)
    for stage in stages
        stage === nothing && continue
        last(results) isa Stopped && break
        results = (results..., stage(last(results)))
    end
    return results
end
