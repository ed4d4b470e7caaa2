# One growing buffer that is never emptied.
mutable struct Buffered
    source::Any
    state::Any
    items::Vector{Any}
end
mutable struct Reader2{T}
    shared::Buffered
    position::Int
end
function tee(source, n::Integer)
    n >= 0 || throw(ArgumentError("negative"))
    shared = Buffered(source, (), Any[])
    return Tuple(Reader2{eltype(source)}(shared, 0) for _ in 1:n)
end
Base.eltype(::Type{Reader2{T}}) where {T} = T
Base.IteratorSize(::Type{<:Reader2}) = Base.SizeUnknown()
function Base.iterate(r::Reader2, _ = nothing)
    s = r.shared
    if r.position == length(s.items)
        s.state === nothing && return nothing
        state, s.state = s.state, nothing
        step = iterate(s.source, state...)
        step === nothing && return nothing
        s.state = (step[2],)
        push!(s.items, step[1])
    end
    r.position += 1
    return s.items[r.position], nothing
end
