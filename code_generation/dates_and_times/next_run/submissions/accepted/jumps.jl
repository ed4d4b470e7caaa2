# Jumps to the start of the next month, day, hour or minute as soon as one of them does not fit.
using Dates
function next_run(after::DateTime; minutes = 0:59, hours = 0:23, days = 1:31, months = 1:12, weekdays = 1:7)
    t = trunc(after, Minute) + Minute(1)
    last_chance = t + Year(400)
    while t <= last_chance
        if !(month(t) in months)
            t = trunc(t, Month) + Month(1)
        elseif !(day(t) in days) || !(dayofweek(t) in weekdays)
            t = trunc(t, Day) + Day(1)
        elseif !(hour(t) in hours)
            t = trunc(t, Hour) + Hour(1)
        elseif !(minute(t) in minutes)
            t += Minute(1)
        else
            return t
        end
        isempty(minutes) | isempty(hours) | !any(in(0:59), minutes) | !any(in(0:23), hours) && return nothing
    end
    return nothing
end
