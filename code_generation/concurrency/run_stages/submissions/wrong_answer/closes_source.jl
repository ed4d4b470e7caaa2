# Closes every input that is a channel, the source included.
function run_stages(source, stages...; capacity::Integer = 1)
    capacity >= 1 || throw(ArgumentError("capacity must be at least 1, got $capacity"))
    results = filled_by(capacity) do output
        try
            foreach(x -> put!(output, x), source)
        finally
            source isa Channel && close(source)
        end
    end
    for stage in stages
        input = results
        results = filled_by(output -> work(stage, input, output), capacity)
    end
    return results
end

# A channel that a task fills with fill(output), and closes with the exception that ends it, if there is one.
function filled_by(fill, capacity)
    output = Channel{Any}(capacity)
    @async try
        fill(output)
        close(output)
    catch exception
        close(output, exception)
    end
    return output
end

# Works until take! or put! throws because a channel is closed: at the end, after a failure, or by the reader.
function work(stage, input, output)
    try
        while true
            put!(output, stage(take!(input)))
        end
    finally
        close(input)
    end
end
