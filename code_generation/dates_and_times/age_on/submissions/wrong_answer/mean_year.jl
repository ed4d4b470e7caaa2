# Divides the days by the mean length of a year.
using Dates
function age_on(born::Date, day::Date)
    day < born && throw(ArgumentError("not born yet"))
    return floor(Int, Dates.value(day - born) / 365.25)
end
