# Drops every row with a gap anywhere.
using Statistics
function pairwise_cor(X::AbstractMatrix{<:Union{Missing,Real}})
    p = size(X, 2)
    keep = [k for k in 1:size(X, 1) if !any(ismissing, X[k, :])]
    C = Matrix{Union{Missing,Float64}}(missing, p, p)
    for i in 1:p, j in 1:i
        x, y = Float64.(X[keep, i]), Float64.(X[keep, j])
        (length(unique(x)) < 2 || length(unique(y)) < 2) && continue
        C[i, j] = C[j, i] = i == j ? 1.0 : cor(x, y)
    end
    return C
end
