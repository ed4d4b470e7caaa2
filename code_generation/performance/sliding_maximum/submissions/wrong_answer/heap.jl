# Keeps the window sorted, which takes a logarithm of comparisons.
function sliding_maximum(xs::AbstractVector, width::Integer)
    width >= 1 || throw(ArgumentError("the width must be at least 1"))
    result = similar(xs, 0)
    window = Int[]
    before(a, b) = isless(xs[b], xs[a]) || !isless(xs[a], xs[b]) && a < b
    for i in eachindex(xs)
        insert!(window, searchsortedfirst(window, i; lt = before), i)
        i > width && deleteat!(window, findfirst(==(i - width), window))
        i >= width && push!(result, xs[window[1]])
    end
    return result
end
