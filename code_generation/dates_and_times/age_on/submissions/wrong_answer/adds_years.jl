# Adds years to the date of birth, which makes 28 February of a leap day.
using Dates
function age_on(born::Date, day::Date)
    day < born && throw(ArgumentError("not born yet"))
    age = year(day) - year(born)
    return born + Year(age) > day ? age - 1 : age
end
