# Does not compare with diagonal neighbours.
function local_peaks(A::AbstractArray{<:Real})
    N = ndims(A)

    R = CartesianIndices(A)
    peaks = CartesianIndex{N}[]
    for I in R
        good = true
        for o in [CartesianIndex(ntuple(k -> k == d ? s : 0, N)) for d in 1:N for s in (-1, 1)]
            all(iszero, Tuple(o)) && continue
            J = I + o
            J in R || continue
            good &= A[I] > A[J]
        end
        good && push!(peaks, I)
    end
    peaks
end
