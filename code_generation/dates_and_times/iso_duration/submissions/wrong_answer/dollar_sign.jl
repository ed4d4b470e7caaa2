# The dollar sign of a regular expression lets a line break pass.
using Dates
function iso_duration(text::AbstractString)
    m = match(r"^(-?)P(?:([0-9]{1,9})W|(?=.)(?:([0-9]{1,9})Y)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})D)?(?:T(?=.)(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})(?:\.([0-9]{1,3}))?S)?)?)$", text)
    m === nothing && throw(ArgumentError("not a duration"))
    s = m[1] == "-" ? -1 : 1
    units = (Week, Year, Month, Day, Hour, Minute, Second)
    periods = Period[u(s * parse(Int, d)) for (u, d) in zip(units, m.captures[2:8]) if d !== nothing]
    m[9] === nothing || push!(periods, Millisecond(s * parse(Int, rpad(m[9], 3, '0'))))
    return Dates.CompoundPeriod(periods)
end
