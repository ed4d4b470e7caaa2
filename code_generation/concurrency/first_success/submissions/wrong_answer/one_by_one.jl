# Asks one after the other.
function first_success(fs)
    calls = collect(fs)
    isempty(calls) && throw(ArgumentError("there is no function to call"))
    exceptions = Any[]
    for f in calls
        try
            return f()
        catch exception
            push!(exceptions, exception)
        end
    end
    throw(CompositeException(exceptions))
end
