# Takes the year of the date itself.
using Dates
week_label(d::Date) = string(lpad(year(d), 4, '0'), "-W", lpad(week(d), 2, '0'))
function week_start(label::AbstractString)
    m = match(r"\A([0-9]{4})-W([0-9]{2})\z", label)
    m === nothing && throw(ArgumentError("bad label"))
    y, w = parse.(Int, m.captures)
    monday = firstdayofweek(Date(y, 1, 4)) + Week(w - 1)
    week(monday) == w || throw(ArgumentError("no such week"))
    return monday
end
