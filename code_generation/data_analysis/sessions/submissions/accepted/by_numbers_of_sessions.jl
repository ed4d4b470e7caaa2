# Numbers the sessions in the sorted columns, and takes the borders.
function sessions(visits::AbstractDataFrame, gap::Real)
    gap < 0 && throw(ArgumentError("a negative gap"))
    order = sortperm(collect(zip(visits.user, visits.time)))
    user, time = visits.user[order], visits.time[order]
    starts = [i for i in eachindex(user) if i == 1 || user[i] != user[i-1] || time[i] - time[i-1] > gap]
    stops = [starts[2:end] .- 1; isempty(user) ? Int[] : [length(user)]]
    return DataFrame(user = user[starts], first = time[starts], last = time[stops], visits = Int.(stops .- starts .+ 1))
end
