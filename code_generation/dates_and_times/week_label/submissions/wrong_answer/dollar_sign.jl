# The dollar sign of a regular expression lets a line break pass.
using Dates
week_label(d::Date) =
    string(lpad(year(firstdayofweek(d) + Day(3)), 4, '0'), "-W", lpad(week(d), 2, '0'))
function week_start(label::AbstractString)
    m = match(r"^([0-9]{4})-W([0-9]{2})$", label)
    m === nothing && throw(ArgumentError("bad label"))
    y, w = parse.(Int, m.captures)
    1 <= w <= week(Date(y, 12, 28)) || throw(ArgumentError("no such week"))
    return firstdayofweek(Date(y, 1, 4)) + Week(w - 1)
end
