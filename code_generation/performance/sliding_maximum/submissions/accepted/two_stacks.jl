# Maxima of blocks from both sides, with two comparisons for each window.
function sliding_maximum(xs::AbstractVector, width::Integer)
    width < 1 && throw(ArgumentError("width"))
    n = length(xs)
    out = similar(xs, max(n - width + 1, 0))
    n < width && return out
    larger(a, b) = isless(a, b) ? b : a
    ahead = collect(xs)       # from the start of the block up to here
    behind = collect(xs)      # from here to the end of the block
    for i in 2:n
        i % width == 1 % width && width > 1 || width == 1 || (ahead[i] = larger(ahead[i-1], ahead[i]))
    end
    for i in n-1:-1:1
        i % width == 0 || (behind[i] = isless(behind[i], behind[i+1]) ? behind[i+1] : behind[i])
    end
    for i in 1:n-width+1
        out[i] = larger(behind[i], ahead[i+width-1])
    end
    return out
end
