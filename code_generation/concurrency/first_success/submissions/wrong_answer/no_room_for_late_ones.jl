# Closes the channel behind the winner, and takes a closed channel for a failure of the function.
function first_success(fs)
    calls = collect(fs)
    isempty(calls) && throw(ArgumentError("there is no function to call"))
    # Room for all, so that those that come late do not wait for ever.
    outcomes = Channel{Any}(0)
    for (i, f) in enumerate(calls)
        @async put!(outcomes, outcome_of(f, i))
    end
    exceptions = Vector{Any}(undef, length(calls))
    for _ in calls
        i, returned, result = take!(outcomes)
        returned && (close(outcomes); return result isa Exception ? throw(result) : result)
        exceptions[i] = result
    end
    throw(CompositeException(exceptions))
end

outcome_of(f, i) =
    try
        (i, true, f())
    catch exception
        (i, false, exception)
    end
