# Marks seat by seat and stops at the first problem, with half of the request done.
struct SeatTaken <: Exception
    row::Int
    seats::Vector{Int}
end
function reserve_seats!(taken::AbstractMatrix{Bool}, row::Integer, seats::AbstractVector{<:Integer})
    isempty(seats) && throw(ArgumentError("no seats are requested"))
    1 <= row <= size(taken, 1) || throw(BoundsError(taken, (row, :)))
    allunique(seats) || throw(ArgumentError("a seat is listed more than once"))
    for seat in seats
        1 <= seat <= size(taken, 2) || throw(BoundsError(taken, (row, seat)))
        taken[row, seat] && throw(SeatTaken(row, [seat]))
        taken[row, seat] = true
    end
    return count(!, taken[row, :])
end
