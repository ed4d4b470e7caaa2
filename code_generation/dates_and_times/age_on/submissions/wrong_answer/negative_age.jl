# Returns a negative age for a day before the birth.
using Dates
age_on(born::Date, day::Date) = year(day) - year(born) - (monthday(day) < monthday(born) ? 1 : 0)
