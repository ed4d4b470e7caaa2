# Pads with zeros, so a negative element at the border is no peak.
function local_peaks(A::AbstractArray{<:Real})
    N = ndims(A)

    R = CartesianIndices(A)
    peaks = CartesianIndex{N}[]
    for I in R
        good = true
        for o in CartesianIndices(ntuple(_ -> -1:1, N))
            all(iszero, Tuple(o)) && continue
            J = I + o

            good &= A[I] > (J in R ? A[J] : 0)
        end
        good && push!(peaks, I)
    end
    peaks
end
