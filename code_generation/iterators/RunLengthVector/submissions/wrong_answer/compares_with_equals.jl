# Compares with ==: NaN never joins, 0.0 and -0.0 do, and missing is an error.
struct RunLengthVector{T} <: AbstractVector{T}
    values::Vector{T}
    stops::Vector{Int}
end

function RunLengthVector(runs::Vector{Pair{T, Int}}) where {T}
    v = RunLengthVector(T[], Int[])
    for (value, count) in runs
        count >= 0 || throw(ArgumentError("a run of length $count"))
        count == 0 || add_run!(v, value, count)
    end
    return v
end

function compress(xs::AbstractVector{T}) where {T}
    v = RunLengthVector(T[], Int[])
    for x in xs
        add_run!(v, x, 1)
    end
    return v
end

function add_run!(v::RunLengthVector, value, count)
    stop = length(v) + count
    if !isempty(v) && last(v.values) == value
        v.stops[end] = stop
    else
        push!(v.values, value)
        push!(v.stops, stop)
    end
end

Base.size(v::RunLengthVector) = (isempty(v.stops) ? 0 : last(v.stops),)

function Base.getindex(v::RunLengthVector, i::Int)
    checkbounds(v, i)
    return v.values[searchsortedfirst(v.stops, i)]
end

runs(v::RunLengthVector{T}) where {T} = Pair{T, Int}[x => n for (x, n) in zip(v.values, diff([0; v.stops]))]
