# Works on a copy.
function fill_border!(A::AbstractArray, value; width::Integer = 1)
    width < 0 && throw(ArgumentError("negative width"))
    B = copy(A)
    for I in CartesianIndices(B)
        any(d -> I[d] <= width || I[d] > size(B, d) - width, 1:ndims(B)) && (B[I] = value)
    end
    return B
end
