# Leaves out the incomplete blocks at the end.
function block_reduce(f, A::AbstractArray{T,N}, block::NTuple{N,Integer}) where {T,N}
    all(>=(1), block) || throw(ArgumentError("block"))
    counts = fld.(size(A), block)
    return [f(view(A, ntuple(d -> (I[d]-1)*block[d]+1:I[d]*block[d], N)...)) for I in CartesianIndices(counts)]
end
