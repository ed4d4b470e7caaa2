# One vector for all pixels is one too many.
function median_filter!(out, image)
    size(out) == size(image) || throw(DimensionMismatch("out and image must have the same size"))
    n, m = size(image)
    buffer = similar(image, 9)
    copyto!(out, image)
    for j in 2:m-1, i in 2:n-1
        copyto!(buffer, view(image, i-1:i+1, j-1:j+1))
        out[i, j] = sort!(buffer)[5]
    end
    return out
end
