# Takes the digits behind the point for milliseconds as they are.
using Dates
function iso_duration(text::AbstractString)
    m = match(r"\A(-?)P(?:([0-9]{1,9})W|(?=.)(?:([0-9]{1,9})Y)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})D)?(?:T(?=.)(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})(?:\.([0-9]{1,3}))?S)?)?)\z", text)
    m === nothing && throw(ArgumentError("not a duration"))
    s = m[1] == "-" ? -1 : 1
    units = (Week, Year, Month, Day, Hour, Minute, Second, Millisecond)
    return Dates.CompoundPeriod(Period[u(s * parse(Int, d)) for (u, d) in zip(units, m.captures[2:9]) if d !== nothing])
end
