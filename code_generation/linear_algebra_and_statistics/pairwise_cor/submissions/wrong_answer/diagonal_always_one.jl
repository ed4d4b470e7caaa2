# Puts 1.0 on the diagonal whatever the column holds.
using Statistics
function pairwise_cor(X::AbstractMatrix{<:Union{Missing,Real}})
    p = size(X, 2)
    C = Matrix{Union{Missing,Float64}}(missing, p, p)
    for i in 1:p
        C[i, i] = 1.0
        for j in 1:i-1
            rows = [k for k in 1:size(X, 1) if !ismissing(X[k, i]) && !ismissing(X[k, j])]
            x, y = Float64.(X[rows, i]), Float64.(X[rows, j])
            (length(unique(x)) < 2 || length(unique(y)) < 2) && continue
            C[i, j] = C[j, i] = cor(x, y)
        end
    end
    return C
end
