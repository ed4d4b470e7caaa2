# Tries once more than n times.
macro retry(n, expr)
    return quote
        let limit = $(esc(n)), attempt = 1, value = nothing
            limit >= 1 || throw(ArgumentError("@retry needs at least one attempt, got $limit"))
            while true
                try
                    value = $(esc(expr))
                    break
                catch
                    attempt <= limit || rethrow()
                    attempt += 1
                end
            end
            value
        end
    end
end
