# Expects decimal points.
function station_means(text::AbstractString)
    rows = CSV.File(IOBuffer(text); delim = ';', comment = "#", missingstring = "n/a", types = Dict(:station => String, :value => Float64))
    sums = Dict{String,Tuple{Float64,Int}}()
    order = String[]
    for row in rows
        haskey(sums, row.station) || push!(order, row.station)
        total, count = get(sums, row.station, (0.0, 0))
        sums[row.station] = ismissing(row.value) ? (total, count) : (total + row.value, count + 1)
    end
    return [name => (sums[name][2] == 0 ? missing : sums[name][1] / sums[name][2]) for name in order]
end
