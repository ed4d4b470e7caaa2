# Counts the attempts down, and throws the caught error again.
macro retry(n, expr)
    left = gensym(:left)
    quote
        local $(esc(left)) = Int($(esc(n)))
        $(esc(left)) < 1 && throw(ArgumentError("n"))
        local res
        while true
            $(esc(left)) -= 1
            local failed = false
            try
                res = $(esc(expr))
            catch e
                $(esc(left)) == 0 && rethrow(e)
                failed = true
            end
            failed || break
        end
        res
    end
end
