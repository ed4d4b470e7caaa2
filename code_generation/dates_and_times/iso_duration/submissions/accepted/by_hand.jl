# Reads character by character, without a regular expression.
using Dates
function iso_duration(text::AbstractString)
    bad() = throw(ArgumentError("not a duration"))
    chars = collect(text)
    i = 1
    sign = 1
    if !isempty(chars) && chars[1] == '-'
        sign = -1
        i = 2
    end
    i <= length(chars) && chars[i] == 'P' || bad()
    i += 1
    left = [('Y', Year), ('M', Month), ('W', Week), ('D', Day)]
    in_time, parts, periods = false, 0, Period[]
    digits_from(k) = something(findfirst(j -> j > length(chars) || !('0' <= chars[j] <= '9'), k:length(chars)+1)) - 1
    while i <= length(chars)
        if chars[i] == 'T'
            in_time && bad()
            in_time, left, parts = true, [('H', Hour), ('M', Minute), ('S', Second)], 0
            i += 1
            continue
        end
        n = digits_from(i)
        1 <= n <= 9 || bad()
        number = parse(Int, String(chars[i:i+n-1]))
        i += n
        i <= length(chars) || bad()
        if chars[i] == '.'
            f = digits_from(i + 1)
            1 <= f <= 3 || bad()
            push!(periods, Millisecond(sign * parse(Int, String(chars[i+1:i+f])) * 10^(3 - f)))
            i += f + 1
            i <= length(chars) && chars[i] == 'S' || bad()
        end
        at = findfirst(u -> u[1] == chars[i], left)
        at === nothing && bad()
        push!(periods, left[at][2](sign * number))
        left = left[at+1:end]
        parts += 1
        i += 1
    end
    parts == 0 && bad()
    any(p -> p isa Week, periods) && (length(periods) > 1 || in_time) && bad()
    return Dates.CompoundPeriod(periods)
end
