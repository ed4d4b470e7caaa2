# Stores the results with the element type of the argument.
function block_reduce(f, A::AbstractArray{T,N}, block::NTuple{N,Integer}) where {T,N}
    all(>=(1), block) || throw(ArgumentError("block"))
    B = similar(A, cld.(size(A), block))
    for I in CartesianIndices(B)
        ranges = ntuple(d -> (I[d]-1)*block[d]+1:min(I[d]*block[d], size(A, d)), N)
        B[I] = f(view(A, ranges...))
    end
    return B
end
