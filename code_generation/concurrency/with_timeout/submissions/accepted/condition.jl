# A task that stores what happens, and a condition that it or the timer notifies.
struct TimeoutError <: Exception
    seconds::Float64
end
Base.showerror(io::IO, e::TimeoutError) = print(io, "timed out after $(e.seconds) seconds")

function with_timeout(f, seconds::Real)
    seconds > 0 || throw(ArgumentError("seconds must be positive"))
    done = Condition()
    state, result = Ref(:running), Ref{Any}(nothing)
    function run()
        kind, value = try
            (:value, f())
        catch e
            (:error, e)
        end
        state[] === :running || return
        state[], result[] = kind, value
        notify(done)
    end
    function expire(_)
        state[] === :running || return
        state[] = :late
        notify(done)
    end
    task = @async run()
    timer = Timer(expire, seconds)
    state[] === :running && wait(done)
    close(timer)
    state[] === :value && return result[]
    state[] === :error && throw(result[])
    throw(TimeoutError(seconds))
end
