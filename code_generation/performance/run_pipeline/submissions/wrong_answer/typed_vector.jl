# A vector of a union of types.
function run_pipeline(stages::Tuple, x)
    results = [x]
    for stage in stages
        stage === nothing && continue
        results[end] isa Stopped && break
        results = vcat(results, stage(results[end]))
    end
    return Tuple(results)
end
