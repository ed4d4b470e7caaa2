# Escapes the whole expression and keeps its own names apart with gensym.
macro retry(n, expr)
    count, k, val, done = gensym("count"), gensym("k"), gensym("val"), gensym("done")
    return esc(quote
        let $count = $n, $val = nothing, $done = false
            $count < 1 && $throw($ArgumentError("n must be positive"))
            for $k in 1:$count
                try
                    $val = $expr
                    $done = true
                catch
                    $k == $count && $rethrow()
                end
                $done && break
            end
            $val
        end
    end)
end
