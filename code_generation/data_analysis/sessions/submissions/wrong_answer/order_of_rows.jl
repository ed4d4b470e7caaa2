# Takes the rows as they come.
function sessions(visits::AbstractDataFrame, gap::Real)
    gap >= 0 || throw(ArgumentError("the gap must not be negative"))
    sorted = select(visits, [:user, :time])
    result = DataFrame(user = eltype(visits.user)[], first = eltype(visits.time)[], last = eltype(visits.time)[], visits = Int[])
    for row in eachrow(sorted)
        n = nrow(result)
        if n > 0 && isequal(result.user[n], row.user) && row.time - result.last[n] <= gap
            result.last[n] = row.time
            result.visits[n] += 1
        else
            push!(result, (row.user, row.time, row.time, 1))
        end
    end
    return result
end
