# With n = 0, a start on a day off is returned as it is.
using Dates
function add_business_days(start::Date, n::Integer; holidays = Date[])
    d = start; k = abs(n)
    while k > 0
        d += Day(sign(n))
        (dayofweek(d) < 6 && !(d in holidays)) && (k -= 1)
    end
    d
end
