# Takes a returned exception for a thrown one.
struct AggregateError <: Exception
    failures::Vector{Pair{Int, Any}}
    total::Int
end
function Base.showerror(io::IO, e::AggregateError)
    print(io, "$(length(e.failures)) of $(e.total) items failed:")
    for (i, cause) in e.failures
        print(io, "\n  $i: ", sprint(showerror, cause))
    end
end
function map_all(f, items)
    results = map(collect(items)) do item
        try
            f(item)
        catch err
            err isa InterruptException && rethrow()
            err
        end
    end
    failures = Pair{Int, Any}[i => r for (i, r) in enumerate(results) if r isa Exception]
    isempty(failures) || throw(AggregateError(failures, length(results)))
    return results
end
