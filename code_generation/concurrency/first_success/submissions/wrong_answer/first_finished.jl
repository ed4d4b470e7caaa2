# The first call to end decides, even if it fails.
function first_success(fs)
    calls = collect(fs)
    isempty(calls) && throw(ArgumentError("there is no function to call"))
    # Room for all, so that those that come late do not wait for ever.
    outcomes = Channel{Any}(Inf)
    for (i, f) in enumerate(calls)
        @async put!(outcomes, outcome_of(f, i))
    end
    exceptions = Vector{Any}(undef, length(calls))
    for _ in calls
        i, returned, result = take!(outcomes)
        returned && return result
        throw(CompositeException([result]))
    end
end

outcome_of(f, i) =
    try
        (i, true, f())
    catch exception
        (i, false, exception)
    end
