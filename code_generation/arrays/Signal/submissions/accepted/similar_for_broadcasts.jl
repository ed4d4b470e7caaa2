# Makes the destination by two methods of similar: one for broadcasts, one for results that change their type.
struct Signal{T} <: AbstractVector{T}
    samples::Vector{T}
    rate::Float64
    Signal{T}(samples, rate) where {T} = new{T}(samples, rate)
end
Signal(samples::AbstractVector{T}, rate::Real) where {T} = Signal{T}(T[x for x in samples], rate)
Base.size(s::Signal) = (length(s.samples),)
Base.IndexStyle(::Type{<:Signal}) = IndexLinear()
Base.getindex(s::Signal, i::Int) = getindex(s.samples, i)
Base.setindex!(s::Signal, value, i::Int) = setindex!(s.samples, value, i)
Base.similar(s::Signal, ::Type{T}, dims::Dims{1}) where {T} = Signal{T}(Vector{T}(undef, dims), s.rate)
Base.BroadcastStyle(::Type{<:Signal}) = Broadcast.ArrayStyle{Signal}()
function Base.similar(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{Signal}}, ::Type{T}) where {T}
    rates = collect_rates!(Set{Float64}(), bc)
    length(rates) > 1 && throw(ArgumentError("different rates"))
    return Signal{T}(Vector{T}(undef, length(bc)), first(rates))
end
collect_rates!(rates, bc::Broadcast.Broadcasted) = foldl(collect_rates!, bc.args; init = rates)
collect_rates!(rates, x::Broadcast.Extruded) = collect_rates!(rates, x.x)
collect_rates!(rates, s::Signal) = push!(rates, s.rate)
collect_rates!(rates, other) = rates
