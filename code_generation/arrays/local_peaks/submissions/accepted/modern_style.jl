# Ranges of Cartesian indices, made by clamping.
# Needs: Julia 1.6
function local_peaks(A::AbstractArray{<:Real, N}) where {N}
    everywhere = CartesianIndices(A)
    around(i) = everywhere ∩ (i - oneunit(i):i + oneunit(i))
    is_peak(i) = all(j -> i == j || A[i] > A[j], around(i))
    CartesianIndex{N}[i for i in everywhere if is_peak(i)]
end
