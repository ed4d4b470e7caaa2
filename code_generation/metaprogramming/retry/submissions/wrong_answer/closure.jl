# Wraps the expression in a function, so return leaves that one and not the caller.
function _retry(f, n)
    n >= 1 || throw(ArgumentError("n"))
    for attempt in 1:n
        try
            return f()
        catch
            attempt == n && rethrow()
        end
    end
end
macro retry(n, expr)
    :(_retry(() -> $(esc(expr)), $(esc(n))))
end
