# Makes the destination for one type of result only, so results of several types fail.
struct Signal{T} <: AbstractVector{T}
    samples::Vector{T}
    rate::Float64
end
Signal(samples::AbstractVector{T}, rate::Real) where {T} = Signal{T}(collect(T, samples), rate)
Base.size(s::Signal) = size(s.samples)
Base.getindex(s::Signal, i::Int) = s.samples[i]
Base.setindex!(s::Signal, x, i::Int) = s.samples[i] = x
Base.BroadcastStyle(::Type{<:Signal}) = Broadcast.ArrayStyle{Signal}()
rates_in(bc::Broadcast.Broadcasted) = reduce(vcat, map(rates_in, bc.args))
rates_in(s::Signal) = [s.rate]
rates_in(_) = Float64[]
function Base.similar(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{Signal}}, ::Type{T}) where {T}
    rates = unique(rates_in(bc))
    length(rates) == 1 || throw(ArgumentError("different rates"))
    return Signal{T}(Vector{T}(undef, length(bc)), rates[1])
end
