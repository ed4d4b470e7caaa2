# Plain loops over the seats.
struct SeatTaken <: Exception
    row::Int
    seats::Vector{Int}
end
function reserve_seats!(taken::AbstractMatrix{Bool}, row::Integer, seats::AbstractVector{<:Integer})
    rows, columns = size(taken)
    length(seats) == 0 && throw(ArgumentError("empty"))
    1 <= row <= rows || throw(BoundsError(taken, (row, 1)))
    length(Set(seats)) == length(seats) || throw(ArgumentError("twice"))
    for s in seats
        1 <= s <= columns || throw(BoundsError(taken, (row, s)))
    end
    bad = Int[]
    for s in 1:columns
        s in seats && taken[row, s] && push!(bad, s)
    end
    length(bad) > 0 && throw(SeatTaken(row, bad))
    for s in seats
        taken[row, s] = true
    end
    return columns - sum(taken[row, :])
end
