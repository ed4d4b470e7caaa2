# Fills slabs along each dimension.
function fill_border!(A::AbstractArray, value; width::Integer = 1)
    width < 0 && throw(ArgumentError("negative width"))
    for d in 1:ndims(A)
        n = size(A, d)
        w = min(width, n)
        fill!(selectdim(A, d, 1:w), value)
        fill!(selectdim(A, d, n-w+1:n), value)
    end
    return A
end
