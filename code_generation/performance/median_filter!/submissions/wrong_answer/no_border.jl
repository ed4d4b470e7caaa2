# The border stays as it was in out.
function median_filter!(out, image)
    size(out) == size(image) || throw(DimensionMismatch("out and image must have the same size"))
    n, m = size(image)

    for j in 2:m-1, i in 2:n-1
        # Each column in order; the median is in the middle of the largest low, the middle mid and the smallest high.
        a1, a2, a3 = sorted(image[i-1, j-1], image[i, j-1], image[i+1, j-1])
        b1, b2, b3 = sorted(image[i-1, j], image[i, j], image[i+1, j])
        c1, c2, c3 = sorted(image[i-1, j+1], image[i, j+1], image[i+1, j+1])
        low = max(max(a1, b1), c1)
        _, middle, _ = sorted(a2, b2, c2)
        high = min(min(a3, b3), c3)
        out[i, j] = sorted(low, middle, high)[2]
    end
    return out
end

function sorted(a, b, c)
    a, b = minmax(a, b)
    b, c = minmax(b, c)
    a, b = minmax(a, b)
    return a, b, c
end
