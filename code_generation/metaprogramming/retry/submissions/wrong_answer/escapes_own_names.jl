# Escapes everything: its own variables hide those of the caller.
macro retry(n, expr)
    esc(quote
        let limit = $n, result = nothing
            limit >= 1 || throw(ArgumentError("n"))
            for attempt in 1:limit
                try
                    result = $expr
                    break
                catch err
                    attempt == limit && rethrow()
                end
            end
            result
        end
    end)
end
