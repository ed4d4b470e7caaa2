# Overloads broadcasted for two signals, or a signal and a number, and leaves the rest alone.
struct Signal{T} <: AbstractVector{T}
    samples::Vector{T}
    rate::Float64
end
Signal(samples::AbstractVector{T}, rate::Real) where {T} = Signal{T}(collect(T, samples), rate)
Base.size(s::Signal) = size(s.samples)
Base.getindex(s::Signal, i::Int) = s.samples[i]
Base.setindex!(s::Signal, x, i::Int) = s.samples[i] = x
Broadcast.broadcasted(f, s::Signal) = Signal(map(f, s.samples), s.rate)
Broadcast.broadcasted(f, s::Signal, x::Number) = Signal(map(a -> f(a, x), s.samples), s.rate)
Broadcast.broadcasted(f, x::Number, s::Signal) = Signal(map(a -> f(x, a), s.samples), s.rate)
function Broadcast.broadcasted(f, s::Signal, t::Signal)
    s.rate == t.rate || throw(ArgumentError("different rates"))
    return Signal(map(f, s.samples, t.samples), s.rate)
end
