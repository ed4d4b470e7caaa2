# Collects the new elements in a dictionary before it stores any of them.
function add_at!(A::AbstractArray, indices::AbstractVector, values::Union{Number,AbstractVector})
    if values isa AbstractVector && length(values) != length(indices)
        throw(DimensionMismatch("lengths"))
    end
    new = Dict{Int,eltype(A)}()
    positions = LinearIndices(A)
    for (k, index) in enumerate(indices)
        i = positions[index]
        old = haskey(new, i) ? new[i] : A[i]
        new[i] = convert(eltype(A), old + (values isa Number ? values : values[k]))
    end
    for (i, x) in new
        A[i] = x
    end
    return A
end
