# Broadcasts into the indexed elements, which loses repeated indices.
function add_at!(A::AbstractArray, indices::AbstractVector, values)
    if values isa AbstractVector
        length(values) == length(indices) || throw(DimensionMismatch("lengths"))
    end
    foreach(i -> checkbounds(A, i), indices)
    isempty(indices) && return A
    A[indices] .+= values
    return A
end
