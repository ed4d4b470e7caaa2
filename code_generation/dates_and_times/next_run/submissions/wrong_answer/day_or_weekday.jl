# Takes one of day and weekday for enough, as cron does.
using Dates
function next_run(after::DateTime; minutes = 0:59, hours = 0:23, days = 1:31, months = 1:12, weekdays = 1:7)
    times = sort([Time(h, m) for h in hours for m in minutes if 0 <= h <= 23 && 0 <= m <= 59])
    isempty(times) && return nothing
    for d in Date(after):Day(1):Date(after)+Year(400)
        month(d) in months || continue
        all_days, all_weekdays = days == 1:31, weekdays == 1:7
        ok = all_days || all_weekdays ? day(d) in days && dayofweek(d) in weekdays : day(d) in days || dayofweek(d) in weekdays
        ok || continue
        for time in times
            d + time > after && return d + time
        end
    end
    return nothing
end
