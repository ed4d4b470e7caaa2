# Collects the source at once.
function tee(source, n::Integer)
    n >= 0 || throw(ArgumentError("negative"))
    items = collect(eltype(source), Iterators.take(source, 3000))
    return Tuple(Iterators.Stateful(items) for _ in 1:n)
end
