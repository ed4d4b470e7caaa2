# Computes the correlation by hand from pairs.
function pairwise_cor(X::AbstractMatrix{<:Union{Missing,Real}})
    n, p = size(X)
    C = Array{Union{Missing,Float64}}(undef, p, p)
    for i in 1:p, j in i:p
        xs, ys = Float64[], Float64[]
        for k in 1:n
            (X[k, i] === missing || X[k, j] === missing) && continue
            push!(xs, X[k, i])
            push!(ys, X[k, j])
        end
        c = missing
        if length(unique(xs)) > 1 && length(unique(ys)) > 1
            mx, my = sum(xs) / length(xs), sum(ys) / length(ys)
            dx, dy = xs .- mx, ys .- my
            c = i == j ? 1.0 : sum(dx .* dy) / sqrt(sum(abs2, dx) * sum(abs2, dy))
        end
        C[i, j] = c
        C[j, i] = c
    end
    return C
end
