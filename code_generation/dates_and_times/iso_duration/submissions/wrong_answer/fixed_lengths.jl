# Adds up days and hours as fixed lengths, so a month has 30 days.
using Dates
function iso_duration(text::AbstractString)
    m = match(r"\A(-?)P(?:([0-9]{1,9})W|(?=.)(?:([0-9]{1,9})Y)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})D)?(?:T(?=.)(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})(?:\.([0-9]{1,3}))?S)?)?)\z", text)
    m === nothing && throw(ArgumentError("not a duration"))
    s = m[1] == "-" ? -1 : 1
    n(i) = m[i] === nothing ? 0 : parse(Int, m[i])
    days = 7 * n(2) + 365 * n(3) + 30 * n(4) + n(5)
    ms = m[9] === nothing ? 0 : parse(Int, rpad(m[9], 3, '0'))
    return Dates.CompoundPeriod(Period[Day(s * days), Hour(s * n(6)), Minute(s * n(7)), Second(s * n(8)), Millisecond(s * ms)])
end
