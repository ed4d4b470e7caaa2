# Compares with <, which does not know where missing belongs.
struct LazyMerge{A, B, F}
    a::A
    b::B
    by::F
end

lazy_merge(a, b; by = identity) = LazyMerge(a, b, by)

function Base.iterate(m::LazyMerge, (from_a, from_b) = (iterate(m.a), iterate(m.b)))
    if from_b === nothing
        from_a === nothing && return nothing
    elseif from_a === nothing || m.by(from_b[1]) < m.by(from_a[1])
        return from_b[1], (from_a, iterate(m.b, from_b[2]))
    end
    return from_a[1], (iterate(m.a, from_a[2]), from_b)
end

Base.eltype(::Type{LazyMerge{A, B, F}}) where {A, B, F} = typejoin(eltype(A), eltype(B))

has_length(x) = Base.IteratorSize(x) isa Union{Base.HasLength, Base.HasShape}
Base.IteratorSize(::Type{<:LazyMerge{A, B}}) where {A, B} =
    has_length(A) && has_length(B) ? Base.HasLength() : Base.SizeUnknown()
Base.length(m::LazyMerge) = length(m.a) + length(m.b)
