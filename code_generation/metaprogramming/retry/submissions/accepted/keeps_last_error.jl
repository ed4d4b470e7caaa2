# Keeps the last error, and throws it after the loop.
macro retry(n, expr)
    quote
        local max_attempts = $(esc(n))
        max_attempts < 1 && throw(ArgumentError("n must be at least 1"))
        local result = nothing
        local last_error = nothing
        local success = false
        for i in 1:max_attempts
            try
                result = $(esc(expr))
                success = true
                break
            catch err
                last_error = err
            end
        end
        success || throw(last_error)
        result
    end
end
