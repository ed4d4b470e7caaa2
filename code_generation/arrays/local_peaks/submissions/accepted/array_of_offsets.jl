# Asks all neighbours by a list of offsets, without a loop of its own.
function local_peaks(A::AbstractArray{<:Real})
    N = ndims(A)
    R = CartesianIndices(A)
    offsets = [o for o in CartesianIndices(ntuple(_ -> -1:1, N)) if any(!iszero, Tuple(o))]
    ispeak(I) = all(offsets) do o
        J = I + o
        !(J in R) || A[I] > A[J]
    end
    return CartesianIndex{N}[I for I in R if ispeak(I)]
end
