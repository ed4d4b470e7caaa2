# Counts the free seats of the whole plan.
struct SeatTaken <: Exception
    row::Int
    seats::Vector{Int}
end

function reserve_seats!(taken::AbstractMatrix{Bool}, row::Integer, seats::AbstractVector{<:Integer})
    isempty(seats) && throw(ArgumentError("no seats are requested"))
    row in axes(taken, 1) || throw(BoundsError(taken, (row, :)))
    allunique(seats) || throw(ArgumentError("a seat is listed more than once"))
    # A BoundsError if there is no such seat.
    conflicts = filter(seat -> taken[row, seat], sort(seats))
    isempty(conflicts) || throw(SeatTaken(row, conflicts))
    taken[row, seats] .= true
    return count(!, taken)
end
