# Stops at the first failure.
struct AggregateError <: Exception
    failures::Vector{Pair{Int, Any}}
    total::Int
end

function Base.showerror(io::IO, err::AggregateError)
    print(io, length(err.failures), " of ", err.total, " items failed:")
    for (position, cause) in err.failures
        print(io, "\n  ", position, ": ")
        showerror(io, cause)
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
        throw(AggregateError([position => err], position))
    end
end
