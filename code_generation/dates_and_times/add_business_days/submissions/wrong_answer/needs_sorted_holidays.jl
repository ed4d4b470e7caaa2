# Searches the holidays as if they were sorted.
using Dates
function add_business_days(start::Date, n::Integer; holidays = Date[])
    h = collect(Date, holidays)
    ok(d) = dayofweek(d) < 6 && isempty(searchsorted(h, d))
    n == 0 && return ok(start) ? start : add_business_days(start, 1; holidays = holidays)
    d = start; k = abs(n)
    while k > 0
        d += Day(sign(n)); ok(d) && (k -= 1)
    end
    d
end
