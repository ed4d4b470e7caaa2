# Steps with tonext and toprev of Dates.
using Dates
function add_business_days(start::Date, n::Integer; holidays = Date[])
    off = Set{Date}(holidays)
    free(d) = Dates.dayofweek(d) in (6, 7) || d in off
    d = start
    if n == 0
        while free(d); d += Day(1); end
        return d
    end
    for _ in 1:abs(n)
        d = n > 0 ? Dates.tonext(x -> !free(x), d) : Dates.toprev(x -> !free(x), d)
    end
    return d
end
