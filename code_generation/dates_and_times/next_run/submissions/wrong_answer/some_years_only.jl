# Gives up after five years.
using Dates
function next_run(after::DateTime; minutes = 0:59, hours = 0:23, days = 1:31, months = 1:12, weekdays = 1:7)
    for d in Date(after):Day(1):Date(after)+Year(5)
        (month(d) in months && day(d) in days && dayofweek(d) in weekdays) || continue
        for h in 0:23, m in 0:59
            h in hours && m in minutes || continue
            t = d + Time(h, m)
            t > after && return t
        end
    end
    return nothing
end
