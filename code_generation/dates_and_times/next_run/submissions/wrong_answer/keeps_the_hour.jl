# On a later day it goes on from the hour and minute of the start.
using Dates
function next_run(after::DateTime; minutes = 0:59, hours = 0:23, days = 1:31, months = 1:12, weekdays = 1:7)
    hs, ms = sort(filter(in(0:23), collect(hours))), sort(filter(in(0:59), collect(minutes)))
    (isempty(hs) || isempty(ms)) && return nothing
    start = floor(after, Minute) + Minute(1)
    for d in Date(start):Day(1):Date(start)+Year(400)
        (month(d) in months && day(d) in days && dayofweek(d) in weekdays) || continue
        for h in hs, m in ms
            (h, m) >= (hour(start), minute(start)) && return d + Time(h, m)
        end
    end
    return nothing
end
