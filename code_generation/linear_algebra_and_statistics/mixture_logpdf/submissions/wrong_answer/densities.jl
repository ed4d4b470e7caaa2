# Adds up the densities, which underflow.
function mixture_logpdf(weights, components, x::Real)
    length(weights) == length(components) || throw(DimensionMismatch("weights and components"))
    (any(<(0), weights) || all(iszero, weights)) && throw(ArgumentError("weights"))
    return Float64(log(sum(w * pdf(d, x) for (w, d) in zip(weights, components)) / sum(weights)))
end
