# Does not stop a width at the size of the array.
function fill_border!(A::AbstractArray, value; width::Integer = 1)
    width < 0 && throw(ArgumentError("negative width"))
    for d in 1:ndims(A)
        n = size(A, d)
        selectdim(A, d, 1:width) .= value
        selectdim(A, d, n-width+1:n) .= value
    end
    return A
end
