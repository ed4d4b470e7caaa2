# Compares with <, which knows no order for NaN.
function sliding_maximum(xs::AbstractVector, width::Integer)
    width >= 1 || throw(ArgumentError("the width must be at least 1"))
    result = similar(xs, 0)
    # Positions of those that can still become a maximum, with descending values.
    candidates = Int[]
    for (i, x) in enumerate(xs)
        while !isempty(candidates) && xs[candidates[end]] < x
            pop!(candidates)
        end
        push!(candidates, i)
        candidates[1] <= i - width && popfirst!(candidates)
        i >= width && push!(result, xs[candidates[1]])
    end
    return result
end
