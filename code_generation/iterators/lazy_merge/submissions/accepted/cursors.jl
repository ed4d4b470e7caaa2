# Keeps the state in two small cursors, made when the iteration starts.
struct Cursor{I}
    source::I
    item::Any      # nothing at the end, else a tuple (element, state)
end
start(source) = Cursor(source, iterate(source))
next(c::Cursor) = Cursor(c.source, iterate(c.source, c.item[2]))
done(c::Cursor) = c.item === nothing
value(c::Cursor) = c.item[1]

struct Merged{E, S, A, B, F}
    a::A
    b::B
    by::F
end
function lazy_merge(a, b; by = identity)
    sizes = (Base.IteratorSize(typeof(a)), Base.IteratorSize(typeof(b)))
    S = any(s -> s === Base.SizeUnknown(), sizes) ? :unknown : any(s -> s === Base.IsInfinite(), sizes) ? :infinite : :known
    E = eltype(a) == eltype(b) ? eltype(a) : Any
    return Merged{E, S, typeof(a), typeof(b), typeof(by)}(a, b, by)
end
Base.eltype(::Type{<:Merged{E}}) where {E} = E
Base.IteratorSize(::Type{<:Merged{E, :unknown}}) where {E} = Base.SizeUnknown()
Base.IteratorSize(::Type{<:Merged{E, :infinite}}) where {E} = Base.IsInfinite()
Base.IteratorSize(::Type{<:Merged{E, :known}}) where {E} = Base.HasLength()
Base.length(m::Merged) = sum(length, (m.a, m.b))
Base.iterate(m::Merged) = iterate(m, (start(m.a), start(m.b)))
function Base.iterate(m::Merged, (a, b)::Tuple{Cursor, Cursor})
    done(a) && done(b) && return nothing
    take_a = done(b) || !done(a) && !isless(m.by(value(b)), m.by(value(a)))
    return take_a ? (value(a), (next(a), b)) : (value(b), (a, next(b)))
end
