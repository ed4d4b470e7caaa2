# Moves the year back in January, but not forward in December.
using Dates
function week_label(d::Date)
    w = week(d)
    y = month(d) == 1 && w > 50 ? year(d) - 1 : year(d)
    return string(lpad(y, 4, '0'), "-W", lpad(w, 2, '0'))
end
function week_start(label::AbstractString)
    m = match(r"\A([0-9]{4})-W([0-9]{2})\z", label)
    m === nothing && throw(ArgumentError("bad label"))
    y, w = parse.(Int, m.captures)
    1 <= w <= week(Date(y, 12, 28)) || throw(ArgumentError("no such week"))
    return firstdayofweek(Date(y, 1, 4)) + Week(w - 1)
end
