# Builds tuples in a generator that is made anew for each pass.
struct Win{F}; make::F; end
Base.IteratorSize(::Type{<:Win}) = Base.SizeUnknown()
Base.IteratorEltype(::Type{<:Win}) = Base.EltypeUnknown()
Base.iterate(w::Win) = (g = w.make(); _next(g, iterate(g)))
Base.iterate(w::Win, (g, s)) = _next(g, iterate(g, s))
_next(g, y) = y === nothing ? nothing : (y[1], (g, y[2]))
function sliding_windows(itr, n::Integer)
    n < 1 && throw(ArgumentError("n < 1"))
    function make2()
        last = Ref{Any}(())
        g = ((last[] = (length(last[]) == n ? (last[][2:end]..., x) : (last[]..., x)); last[]) for x in itr)
        return (collect(t) for t in Iterators.filter(t -> length(t) == n, g))
    end
    return Win(make2)
end
