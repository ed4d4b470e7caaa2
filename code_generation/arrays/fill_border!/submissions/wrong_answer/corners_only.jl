# Asks for the border in every dimension, which is true in the corners only.
function fill_border!(A::AbstractArray, value; width::Integer = 1)
    width < 0 && throw(ArgumentError("negative width"))
    for I in CartesianIndices(A)
        all(d -> I[d] <= width || I[d] > size(A, d) - width, 1:ndims(A)) && (A[I] = value)
    end
    return A
end
