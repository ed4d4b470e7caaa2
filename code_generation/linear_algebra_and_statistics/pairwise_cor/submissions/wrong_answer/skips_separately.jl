# Drops the gaps of each column for itself, so the rows get out of step.
using Statistics
function pairwise_cor(X::AbstractMatrix{<:Union{Missing,Real}})
    p = size(X, 2)
    C = Matrix{Union{Missing,Float64}}(missing, p, p)
    for i in 1:p, j in 1:i
        x = Float64[v for v in X[:, i] if v !== missing]
        y = Float64[v for v in X[:, j] if v !== missing]
        n = min(length(x), length(y))
        x, y = x[1:n], y[1:n]
        (length(unique(x)) < 2 || length(unique(y)) < 2) && continue
        C[i, j] = C[j, i] = i == j ? 1.0 : cor(x, y)
    end
    return C
end
