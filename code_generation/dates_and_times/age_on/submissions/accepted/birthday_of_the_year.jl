# Builds the birthday of the year and compares with it.
using Dates
function age_on(born::Date, day::Date)
    day < born && throw(ArgumentError("not born yet"))
    y = year(day)
    leap_child = month(born) == 2 && Dates.day(born) == 29
    birthday = leap_child && !isleapyear(y) ? Date(y, 3, 1) : Date(y, month(born), Dates.day(born))
    return day >= birthday ? y - year(born) : y - year(born) - 1
end
