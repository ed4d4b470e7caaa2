# Looks for signals among the arguments of the outermost call only.
struct Signal{T} <: AbstractVector{T}
    samples::Vector{T}
    rate::Float64
end
Signal(samples::AbstractVector{T}, rate::Real) where {T} = Signal{T}(collect(T, samples), rate)
Base.size(s::Signal) = size(s.samples)
Base.getindex(s::Signal, i::Int) = s.samples[i]
Base.setindex!(s::Signal, x, i::Int) = s.samples[i] = x
Base.BroadcastStyle(::Type{<:Signal}) = Broadcast.ArrayStyle{Signal}()
function Base.similar(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{Signal}}, ::Type{T}) where {T}
    rates = unique([a.rate for a in bc.args if a isa Signal])
    length(rates) == 1 || throw(ArgumentError("different rates"))
    return Signal{T}(Vector{T}(undef, length(bc)), rates[1])
end
