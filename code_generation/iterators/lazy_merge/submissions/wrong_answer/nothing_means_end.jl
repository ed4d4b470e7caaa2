# Looks at elements instead of steps, so an element nothing counts as the end.
struct LazyMerge{A, B, F}
    a::A
    b::B
    by::F
end

lazy_merge(a, b; by = identity) = LazyMerge(a, b, by)

step(next) = next === nothing ? (nothing, nothing) : next

function Base.iterate(m::LazyMerge, state = (step(iterate(m.a)), step(iterate(m.b))))
    (x, sx), (y, sy) = state
    x === nothing && y === nothing && return nothing
    if y === nothing || x !== nothing && !isless(m.by(y), m.by(x))
        return x, (step(iterate(m.a, sx)), (y, sy))
    end
    return y, ((x, sx), step(iterate(m.b, sy)))
end

Base.eltype(::Type{LazyMerge{A, B, F}}) where {A, B, F} = typejoin(eltype(A), eltype(B))

has_length(x) = Base.IteratorSize(x) isa Union{Base.HasLength, Base.HasShape}
Base.IteratorSize(::Type{<:LazyMerge{A, B}}) where {A, B} =
    has_length(A) && has_length(B) ? Base.HasLength() : Base.SizeUnknown()
Base.length(m::LazyMerge) = length(m.a) + length(m.b)
