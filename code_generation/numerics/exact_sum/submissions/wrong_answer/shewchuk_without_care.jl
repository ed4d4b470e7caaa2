# Exact partial sums, but a last addition that rounds several times, and no care for overflow or infinities.
function exact_sum(xs)
    partials = Float64[]
    for x in xs
        i = 0
        for y in partials
            abs(x) < abs(y) && ((x, y) = (y, x))
            hi = x + y
            lo = y - (hi - x)
            if lo != 0
                i += 1
                partials[i] = lo
            end
            x = hi
        end
        resize!(partials, i)
        push!(partials, x)
    end
    return sum(partials; dims = 1)[1]
end
