# Looks for a deviation of zero, which rounding can miss.
using Statistics
function pairwise_cor(X::AbstractMatrix{<:Union{Missing,Real}})
    p = size(X, 2)
    C = Matrix{Union{Missing,Float64}}(missing, p, p)
    for i in 1:p, j in 1:i
        rows = [k for k in 1:size(X, 1) if !ismissing(X[k, i]) && !ismissing(X[k, j])]
        length(rows) < 2 && continue
        x, y = Float64.(X[rows, i]), Float64.(X[rows, j])
        (std(x) == 0 || std(y) == 0) && continue
        C[i, j] = C[j, i] = i == j ? 1.0 : cor(x, y)
    end
    return C
end
