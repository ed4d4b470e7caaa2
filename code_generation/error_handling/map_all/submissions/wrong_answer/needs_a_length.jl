# Asks the items for their length.
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
    results = Vector{Any}(undef, length(items))
    failures = Pair{Int, Any}[]
    for (i, item) in enumerate(items)
        try
            results[i] = f(item)
        catch err
            err isa InterruptException && rethrow()
            push!(failures, i => err)
        end
    end
    isempty(failures) || throw(AggregateError(failures, length(items)))
    return results
end
