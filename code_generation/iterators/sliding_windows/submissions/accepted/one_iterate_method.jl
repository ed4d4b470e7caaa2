# One iterate method for first and later windows, on untyped fields.
struct WindowIterator
    source::Any
    size::Int
    WindowIterator(source, size) = size < 1 ? throw(ArgumentError("n must be positive")) : new(source, size)
end
sliding_windows(itr, n::Integer) = WindowIterator(itr, n)
Base.IteratorSize(::Type{WindowIterator}) = Base.SizeUnknown()
Base.IteratorEltype(::Type{WindowIterator}) = Base.EltypeUnknown()
function Base.iterate(w::WindowIterator, carry = nothing)
    if carry === nothing
        kept = Any[]; y = iterate(w.source)
    else
        kept, st = carry; y = iterate(w.source, st)
    end
    while true
        y === nothing && return nothing
        push!(kept, y[1])
        length(kept) == w.size && break
        y = iterate(w.source, y[2])
    end
    return (identity.(kept), (kept[2:end], y[2]))
end
