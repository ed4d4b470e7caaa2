# Takes the first rate that it finds, as the manual's example does, and never compares.
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
    return Signal{T}(Vector{T}(undef, length(bc)), find_signal(bc).rate)
end
find_signal(bc::Broadcast.Broadcasted) = find_signal(bc.args)
find_signal(args::Tuple) = find_signal(find_signal(args[1]), Base.tail(args))
find_signal(x) = x
find_signal(::Tuple{}) = nothing
find_signal(s::Signal, rest) = s
find_signal(::Any, rest) = find_signal(rest)
