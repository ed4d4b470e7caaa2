# Keeps the runs as pairs and walks along them; iterates run by run.
struct RunLengthVector{T} <: AbstractArray{T, 1}
    pairs::Vector{Pair{T, Int}}
    function RunLengthVector(list::Vector{Pair{T, Int}}) where {T}
        kept = Pair{T, Int}[]
        any(p -> p.second < 0, list) && throw(ArgumentError("negative length"))
        for p in list
            p.second == 0 && continue
            if !isempty(kept) && isequal(kept[end].first, p.first)
                kept[end] = p.first => kept[end].second + p.second
            else
                push!(kept, p)
            end
        end
        new{T}(kept)
    end
end
compress(xs::AbstractVector{T}) where {T} = RunLengthVector(Pair{T, Int}[Pair{T, Int}(x, 1) for x in xs])
runs(v::RunLengthVector) = copy(v.pairs)
Base.IndexStyle(::Type{<:RunLengthVector}) = IndexLinear()
Base.size(v::RunLengthVector) = (sum(Int[p.second for p in v.pairs]),)
function Base.getindex(v::RunLengthVector, i::Int)
    left = i
    if i >= 1
        for (x, n) in v.pairs
            left <= n && return x
            left -= n
        end
    end
    throw(BoundsError(v, i))
end
