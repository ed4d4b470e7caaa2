# Adds the terms one after another, each time relative to the larger one.
function mixture_logpdf(weights, components, x::Real)
    length(weights) == length(components) || throw(DimensionMismatch("weights and components"))
    (any(<(0), weights) || all(iszero, weights)) && throw(ArgumentError("weights"))
    total = -Inf
    for i in eachindex(components)
        iszero(weights[i]) && continue
        term = log(weights[i]) + logpdf(components[i], x)
        low, high = minmax(total, term)
        total = low == -Inf ? high : high + log1p(exp(low - high))
    end
    return Float64(total - log(sum(weights)))
end
