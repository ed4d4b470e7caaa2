# Compares the days of the year, which shift after a leap day.
using Dates
function age_on(born::Date, day::Date)
    day < born && throw(ArgumentError("not born yet"))
    return year(day) - year(born) - (dayofyear(day) < dayofyear(born) ? 1 : 0)
end
