# Ends every line with a newline, also the last.
struct AggregateError <: Exception
    failures::Vector{Pair{Int, Any}}
    total::Int
end

function Base.showerror(io::IO, err::AggregateError)
    println(io, length(err.failures), " of ", err.total, " items failed:")
    for (position, cause) in err.failures
        print(io, "  ", position, ": ")
        showerror(io, cause)
        println(io)
    end
end

function map_all(f, items)
    failures = Pair{Int, Any}[]
    results = [attempt!(failures, position, f, item) for (position, item) in enumerate(items)]
    isempty(failures) || throw(AggregateError(failures, length(results)))
    return results
end

function attempt!(failures, position, f, item)
    try
        return f(item)
    catch err
        err isa InterruptException && rethrow()
        push!(failures, position => err)
    end
end
