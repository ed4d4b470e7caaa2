# Takes hours and minutes in the order in which they are given.
using Dates
function next_run(after::DateTime; minutes = 0:59, hours = 0:23, days = 1:31, months = 1:12, weekdays = 1:7)
    times = [Time(h, m) for h in hours for m in minutes if 0 <= h <= 23 && 0 <= m <= 59]
    isempty(times) && return nothing
    for d in Date(after):Day(1):Date(after)+Year(400)
        (month(d) in months && day(d) in days && dayofweek(d) in weekdays) || continue
        for time in times
            d + time > after && return d + time
        end
    end
    return nothing
end
