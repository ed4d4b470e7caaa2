# Counts the weeks from the Monday of week 1, without the functions for weeks.
using Dates
first_monday(y) = (d = Date(y, 1, 4); d - Day(dayofweek(d) - 1))
function week_label(d::Date)
    y = year(d + Day(4 - dayofweek(d)))
    w = div(Dates.value(d - first_monday(y)), 7) + 1
    return lpad(string(y), 4, "0") * "-W" * lpad(string(w), 2, "0")
end
function week_start(label::AbstractString)
    ok = ncodeunits(label) == 8 && isascii(label) && label[5:6] == "-W" && all(isdigit, label[[1, 2, 3, 4, 7, 8]])
    ok || throw(ArgumentError("bad label"))
    y, w = parse(Int, label[1:4]), parse(Int, label[7:8])
    start = first_monday(y) + Week(w - 1)
    first_monday(y) <= start < first_monday(y + 1) || throw(ArgumentError("no such week"))
    return start
end
