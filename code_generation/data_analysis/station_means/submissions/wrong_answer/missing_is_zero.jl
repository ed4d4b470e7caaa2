# What is missing counts as zero.
function station_means(text::AbstractString)
    rows = CSV.File(IOBuffer(text); delim = ';', decimal = ',', comment = "#", missingstring = "n/a", types = Dict(:station => String, :value => Float64))
    sums = Dict{String,Tuple{Float64,Int}}()
    order = String[]
    for row in rows
        haskey(sums, row.station) || push!(order, row.station)
        total, count = get(sums, row.station, (0.0, 0))
        sums[row.station] = (total + coalesce(row.value, 0.0), count + 1)
    end
    return [name => (sums[name][2] == 0 ? missing : sums[name][1] / sums[name][2]) for name in order]
end
