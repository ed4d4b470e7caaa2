# Waits for all calls, then takes the first value of the list.
function first_success(fs)
    calls = collect(fs)
    isempty(calls) && throw(ArgumentError("there is no function to call"))
    tasks = [@async f() for f in calls]
    exceptions = Any[]
    for task in tasks
        try
            return fetch(task)
        catch e
            push!(exceptions, e)
        end
    end
    throw(CompositeException(exceptions))
end
