# Counts weekdays and adds the holidays passed afterwards, those on weekends too.
using Dates
function add_business_days(start::Date, n::Integer; holidays = Date[])
    ok(d) = dayofweek(d) < 6
    d = start; k = abs(n); s = n < 0 ? -1 : 1
    if n == 0
        while !ok(d) || d in holidays; d += Day(1); end
        return d
    end
    while k > 0
        d += Day(s); ok(d) && (k -= 1)
    end
    h = count(x -> min(start, d) < x <= max(start, d), holidays)
    while h > 0
        d += Day(s); ok(d) && (h -= 1)
    end
    d
end
