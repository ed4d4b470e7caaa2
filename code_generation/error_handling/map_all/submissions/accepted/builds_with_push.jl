# Pushes the results to a vector of its own, and prints with join.
struct AggregateError <: Exception
    failures::Vector{Pair{Int, Any}}
    total::Int
end
function Base.showerror(io::IO, e::AggregateError)
    lines = ["  $(p.first): " * sprint(showerror, p.second) for p in e.failures]
    print(io, "$(length(e.failures)) of $(e.total) items failed:\n", join(lines, "\n"))
end
function map_all(f, items)
    results, failures = Any[], Pair{Int, Any}[]
    n = Ref(0)
    for item in items
        n[] += 1
        try
            push!(results, f(item))
        catch e
            e isa InterruptException && rethrow()
            push!(failures, Pair{Int, Any}(n[], e))
        end
    end
    isempty(failures) || throw(AggregateError(failures, n[]))
    return results
end
