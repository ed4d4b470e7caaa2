# Never takes an element at the border.
function local_peaks(A::AbstractArray{<:Real})
    N = ndims(A)

    R = CartesianIndices(A)
    peaks = CartesianIndex{N}[]
    for I in R
        good = true
        for o in CartesianIndices(ntuple(_ -> -1:1, N))
            all(iszero, Tuple(o)) && continue
            J = I + o
            J in R || (good = false; continue)
            good &= A[I] > A[J]
        end
        good && push!(peaks, I)
    end
    peaks
end
