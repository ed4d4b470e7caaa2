# Yields the same array each time, so windows change after they were given out.
struct SlidingWindows{I}
    itr::I
    n::Int
end

function sliding_windows(itr, n::Integer)
    n >= 1 || throw(ArgumentError("a window needs at least one element, got n = $n"))
    return SlidingWindows(itr, Int(n))
end

Base.IteratorSize(::Type{<:SlidingWindows}) = Base.SizeUnknown()
Base.eltype(::Type{SlidingWindows{I}}) where {I} = Vector{eltype(I)}

function Base.iterate(w::SlidingWindows)
    window = eltype(w.itr)[]
    next = iterate(w.itr)
    while next !== nothing
        element, state = next
        push!(window, element)
        length(window) == w.n && return window, (window, state)
        next = iterate(w.itr, state)
    end
    return nothing
end

function Base.iterate(w::SlidingWindows, (previous, state))
    next = iterate(w.itr, state)
    next === nothing && return nothing
    element, state = next
    window = push!(previous, element); popfirst!(window)
    return window, (window, state)
end
