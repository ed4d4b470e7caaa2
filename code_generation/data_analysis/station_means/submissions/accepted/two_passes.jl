# The columns first, then a mean for each name.
function station_means(text::AbstractString)
    file = CSV.File(IOBuffer(String(text)); delim = ";", decimal = ',', comment = "#", missingstring = "n/a", types = Dict("station" => String, "value" => Float64))
    stations, values = [row.station for row in file], [row.value for row in file]
    return map(unique(stations)) do name
        known = [v for (s, v) in zip(stations, values) if s == name && v !== missing]
        return String(name) => (isempty(known) ? missing : sum(known) / length(known))
    end
end
