# Restores a backup on a fault, but reads shared memory while it changes.
function add_at!(A::AbstractArray, indices::AbstractVector, values)
    vals = values isa Number ? fill(values, length(indices)) : values
    length(vals) == length(indices) || throw(DimensionMismatch("lengths"))
    backup = copy(A)
    try
        for (i, x) in zip(indices, vals)
            A[i] += x
        end
    catch
        copyto!(A, backup)
        rethrow()
    end
    return A
end
