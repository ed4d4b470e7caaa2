# Computes milliseconds with floating-point numbers and cuts off what is behind the point.
using Dates
function iso_duration(text::AbstractString)
    m = match(r"\A(-?)P(?:([0-9]{1,9})W|(?=.)(?:([0-9]{1,9})Y)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})D)?(?:T(?=.)(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})(?:\.([0-9]{1,3}))?S)?)?)\z", text)
    m === nothing && throw(ArgumentError("not a duration"))
    s = m[1] == "-" ? -1 : 1
    units = (Week, Year, Month, Day, Hour, Minute)
    periods = Period[u(s * parse(Int, d)) for (u, d) in zip(units, m.captures[2:7]) if d !== nothing]
    if m[8] !== nothing
        seconds = parse(Float64, string(m[8], ".", m[9] === nothing ? "0" : m[9]))
        push!(periods, Millisecond(s * floor(Int, seconds * 1000)))
    end
    return Dates.CompoundPeriod(periods)
end
