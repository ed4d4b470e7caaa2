# Copies the arguments and checks the bounds first, but not whether the sums can be stored.
function add_at!(A::AbstractArray, indices::AbstractVector, values)
    vals = values isa Number ? fill(values, length(indices)) : copy(values)
    length(vals) == length(indices) || throw(DimensionMismatch("lengths"))
    inds = copy(indices)
    foreach(i -> checkbounds(A, i), inds)
    for (i, x) in zip(inds, vals)
        A[i] += x
    end
    return A
end
