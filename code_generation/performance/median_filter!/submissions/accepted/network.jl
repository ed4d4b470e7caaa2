# A sorting network over nine variables.
swap(a, b) = isless(b, a) ? (b, a) : (a, b)
function median9(a, b, c, d, e, f, g, h, i)
    b, c = swap(b, c); e, f = swap(e, f); h, i = swap(h, i)
    a, b = swap(a, b); d, e = swap(d, e); g, h = swap(g, h)
    b, c = swap(b, c); e, f = swap(e, f); h, i = swap(h, i)
    a, d = swap(a, d); f, i = swap(f, i); e, h = swap(e, h)
    d, g = swap(d, g); b, e = swap(b, e); c, f = swap(c, f)
    e, h = swap(e, h); e, c = swap(e, c); g, e = swap(g, e)
    e, c = swap(e, c)
    return e
end
function median_filter!(out, image)
    size(out) == size(image) || throw(DimensionMismatch("sizes differ"))
    n, m = size(image)
    for j in 1:m, i in 1:n
        if i == 1 || j == 1 || i == n || j == m
            out[i, j] = image[i, j]
        else
            out[i, j] = median9(image[i-1, j-1], image[i, j-1], image[i+1, j-1], image[i-1, j], image[i, j], image[i+1, j],
                image[i-1, j+1], image[i, j+1], image[i+1, j+1])
        end
    end
    return out
end
