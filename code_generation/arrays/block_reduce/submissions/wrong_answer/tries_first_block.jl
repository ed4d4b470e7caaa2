# Calls f once more to learn the element type.
function block_reduce(f, A::AbstractArray{T,N}, block::NTuple{N,Integer}) where {T,N}
    all(>=(1), block) || throw(ArgumentError("block"))
    counts = cld.(size(A), block)
    ranges(I) = ntuple(d -> (I[d]-1)*block[d]+1:min(I[d]*block[d], size(A, d)), N)
    any(iszero, counts) && return Array{Any}(undef, counts)
    R = typeof(f(view(A, ranges(CartesianIndex(ntuple(_ -> 1, N)))...)))
    B = Array{R}(undef, counts)
    for I in CartesianIndices(B)
        B[I] = f(view(A, ranges(I)...))
    end
    return B
end
