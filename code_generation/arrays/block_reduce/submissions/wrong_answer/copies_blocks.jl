# Gives f a copy of each block.
function block_reduce(f, A::AbstractArray{T,N}, block::NTuple{N,Integer}) where {T,N}
    all(>=(1), block) || throw(ArgumentError("block"))
    counts = cld.(size(A), block)
    ranges(I) = ntuple(d -> (I[d]-1)*block[d]+1:min(I[d]*block[d], size(A, d)), N)
    return [f(A[ranges(I)...]) for I in CartesianIndices(counts)]
end
