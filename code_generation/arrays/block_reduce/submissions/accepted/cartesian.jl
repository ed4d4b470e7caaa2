# Computes the corners of each block with CartesianIndices.
function block_reduce(f, A::AbstractArray{T,N}, block::NTuple{N,Integer}) where {T,N}
    minimum(block) < 1 && throw(ArgumentError("block sizes are positive"))
    counts = cld.(size(A), Int.(block))
    function part(I)
        lo = (Tuple(I) .- 1) .* Int.(block) .+ 1
        hi = min.(Tuple(I) .* Int.(block), size(A))
        return view(A, map(:, lo, hi)...)
    end
    return map(I -> f(part(I)), CartesianIndices(counts))
end
