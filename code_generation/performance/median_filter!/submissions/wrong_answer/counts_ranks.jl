# Compares every pixel with every other.
function median_filter!(out, image)
    size(out) == size(image) || throw(DimensionMismatch("out and image must have the same size"))
    n, m = size(image)
    copyto!(out, image)
    for j in 2:m-1, i in 2:n-1, a in j-1:j+1, b in i-1:i+1
        x = image[b, a]
        below = equal = 0
        for c in j-1:j+1, d in i-1:i+1
            below += isless(image[d, c], x)
            equal += !isless(image[d, c], x) && !isless(x, image[d, c])
        end
        below < 5 <= below + equal && (out[i, j] = x)
    end
    return out
end
