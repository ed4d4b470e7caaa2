# Calls f to its end, and looks at the clock afterwards.
struct TimeoutError <: Exception
    seconds::Float64
end

Base.showerror(io::IO, e::TimeoutError) = print(io, "timed out after ", e.seconds, " seconds")

function with_timeout(f, seconds::Real)
    seconds > 0 || throw(ArgumentError("the limit must be greater than 0 seconds, got $seconds"))
    began = time()
    value = f()
    time() - began <= seconds || throw(TimeoutError(seconds))
    return value
end
