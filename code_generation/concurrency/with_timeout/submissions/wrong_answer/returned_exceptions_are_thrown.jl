# Takes an exception that f returns for one that it throws.
struct TimeoutError <: Exception
    seconds::Float64
end

Base.showerror(io::IO, e::TimeoutError) = print(io, "timed out after ", e.seconds, " seconds")

function with_timeout(f, seconds::Real)
    seconds > 0 || throw(ArgumentError("the limit must be greater than 0 seconds, got $seconds"))
    # Room for both, so that the one that comes late does not wait for ever.
    outcomes = Channel{Any}(Inf)
    @async put!(outcomes, outcome_of(f))
    timer = Timer(_ -> put!(outcomes, () -> throw(TimeoutError(seconds))), seconds)
    finish = take!(outcomes)
    close(timer)
    return finish()
end

# A function that returns what `f()` returns, or throws what it throws.
outcome_of(f) =
    try
        value = f()
        value isa Exception ? () -> throw(value) : () -> value
    catch exception
        () -> throw(exception)
    end
