# Fetches the task, so that exceptions come wrapped in a TaskFailedException.
struct TimeoutError <: Exception
    seconds::Float64
end

Base.showerror(io::IO, e::TimeoutError) = print(io, "timed out after ", e.seconds, " seconds")

function with_timeout(f, seconds::Real)
    seconds > 0 || throw(ArgumentError("the limit must be greater than 0 seconds, got $seconds"))
    task = @async f()
    timedwait(() -> istaskdone(task), Float64(seconds); pollint = 0.001)
    istaskdone(task) || throw(TimeoutError(seconds))
    return fetch(task)
end
