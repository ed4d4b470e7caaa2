# Binds the tasks to the channels the usual way, so exceptions come wrapped in a TaskFailedException.
function run_stages(source, stages...; capacity::Integer = 1)
    capacity >= 1 || throw(ArgumentError("capacity must be at least 1, got $capacity"))
    results = Channel{Any}(capacity) do output
        foreach(x -> put!(output, x), source)
    end
    for stage in stages
        let input = results
            results = Channel{Any}(capacity) do output
                foreach(x -> put!(output, stage(x)), input)
            end
        end
    end
    return results
end
