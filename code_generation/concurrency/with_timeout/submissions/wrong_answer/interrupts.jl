# Interrupts f when its time is over.
struct TimeoutError <: Exception
    seconds::Float64
end

Base.showerror(io::IO, e::TimeoutError) = print(io, "timed out after ", e.seconds, " seconds")

function with_timeout(f, seconds::Real)
    seconds > 0 || throw(ArgumentError("the limit must be greater than 0 seconds, got $seconds"))
    outcomes = Channel{Any}(2)
    task = @async put!(outcomes, try
        (true, f())
    catch e
        (false, e)
    end)
    timer = Timer(_ -> schedule(task, TimeoutError(seconds); error = true), seconds)
    ok, value = take!(outcomes)
    close(timer)
    return ok ? value : throw(value)
end
