# Sorts the caller's calendar.
function free_slots(busy::AbstractVector{Tuple{T, T}}, window::Tuple{T, T}; shortest = nothing) where {T}
    foreach(check_interval, busy)
    check_interval(window)
    slots = Tuple{T, T}[]
    free_from, window_stop = window
    for (start, stop) in sort!(busy)
        start == stop && continue
        slot_stop = min(start, window_stop)
        free_from < slot_stop && push!(slots, (free_from, slot_stop))
        free_from = max(free_from, stop)
    end
    free_from < window_stop && push!(slots, (free_from, window_stop))
    return filter!(((start, stop),) -> shortest === nothing || stop - start >= shortest, slots)
end

check_interval((start, stop)) =
    start <= stop || throw(ArgumentError("an interval starts at $start and stops at $stop"))
