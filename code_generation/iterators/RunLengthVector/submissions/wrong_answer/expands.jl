# Writes all elements out.
struct RunLengthVector{T} <: AbstractVector{T}
    elements::Vector{T}
end

function RunLengthVector(runs::Vector{Pair{T, Int}}) where {T}
    any(r -> r.second < 0, runs) && throw(ArgumentError("a negative length"))
    elements = T[]
    for (value, count) in runs
        append!(elements, fill(value, count))
    end
    return RunLengthVector{T}(elements)
end

compress(xs::AbstractVector{T}) where {T} = RunLengthVector{T}(collect(xs))

Base.size(v::RunLengthVector) = size(v.elements)
Base.getindex(v::RunLengthVector, i::Int) = v.elements[i]

function runs(v::RunLengthVector{T}) where {T}
    result = Pair{T, Int}[]
    for x in v.elements
        if !isempty(result) && isequal(result[end].first, x)
            result[end] = x => result[end].second + 1
        else
            push!(result, x => 1)
        end
    end
    return result
end
