# Does not think of a density of zero.
function mixture_logpdf(weights::AbstractVector{<:Real}, components::AbstractVector{<:UnivariateDistribution}, x::Real)
    length(weights) == length(components) || throw(DimensionMismatch("as many weights as components are needed"))
    all(>=(0), weights) && sum(weights) > 0 || throw(ArgumentError("the weights must not be negative, nor all zero"))
    total = sum(weights)
    terms = [log(w / total) + logpdf(d, x) for (w, d) in zip(weights, components) if w > 0]
    highest = maximum(terms)
    return Float64(highest + log(sum(exp(t - highest) for t in terms)))
end
