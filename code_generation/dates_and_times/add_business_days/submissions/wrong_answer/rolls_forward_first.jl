# Moves to a business day before it counts, also backwards.
using Dates
function add_business_days(start::Date, n::Integer; holidays = Date[])
    ok(d) = dayofweek(d) < 6 && !(d in holidays)
    d = start
    while !ok(d); d += Day(1); end
    k = abs(n)
    while k > 0
        d += Day(sign(n))
        ok(d) && (k -= 1)
    end
    d
end
