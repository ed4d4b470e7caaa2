# Adds as it goes, so a fault leaves half of the work behind, and shared memory is read too late.
function add_at!(A::AbstractArray, indices::AbstractVector, values)
    if values isa AbstractVector
        length(values) == length(indices) || throw(DimensionMismatch("lengths"))
    end
    for (k, i) in enumerate(indices)
        A[i] += values isa Number ? values : values[k]
    end
    return A
end
