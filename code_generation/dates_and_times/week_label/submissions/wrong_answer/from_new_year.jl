# Takes the week of 1 January for week 1.
using Dates
week_label(d::Date) =
    string(lpad(year(firstdayofweek(d) + Day(3)), 4, '0'), "-W", lpad(week(d), 2, '0'))
function week_start(label::AbstractString)
    m = match(r"\A([0-9]{4})-W([0-9]{2})\z", label)
    m === nothing && throw(ArgumentError("bad label"))
    y, w = parse.(Int, m.captures)
    1 <= w <= week(Date(y, 12, 28)) || throw(ArgumentError("no such week"))
    return firstdayofweek(Date(y, 1, 1)) + Week(w - 1)
end
