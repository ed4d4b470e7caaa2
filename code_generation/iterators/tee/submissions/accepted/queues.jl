# A buffer with the positions of all readers, from which the front is dropped.
mutable struct Shared
    source::Any
    state::Any
    started::Bool
    over::Bool
    buffer::Vector{Any}
    dropped::Int
    positions::Vector{Int}
end
struct TeeReader{T}
    shared::Shared
    index::Int
end
function tee(source, n::Integer)
    n < 0 && throw(ArgumentError("negative"))
    shared = Shared(source, nothing, false, false, Any[], 0, zeros(Int, n))
    return ntuple(i -> TeeReader{eltype(source)}(shared, i), Int(n))
end
Base.eltype(::Type{TeeReader{T}}) where {T} = T
Base.IteratorSize(::Type{<:TeeReader}) = Base.SizeUnknown()
function Base.iterate(r::TeeReader, ignored = nothing)
    s = r.shared
    if s.positions[r.index] == s.dropped + length(s.buffer)
        s.over && return nothing
        s.over = true
        step = s.started ? iterate(s.source, s.state) : iterate(s.source)
        step === nothing && return nothing
        s.over = false
        s.started = true
        s.state = step[2]
        push!(s.buffer, step[1])
    end
    s.positions[r.index] += 1
    value = s.buffer[s.positions[r.index] - s.dropped]
    surplus = minimum(s.positions) - s.dropped
    if surplus > 0
        deleteat!(s.buffer, 1:surplus)
        s.dropped += surplus
    end
    return value, nothing
end
