# With loops and growing vectors.
function clean_trace(x::Vector{Float64}, k)
    where_ = Int[]
    kept = Float64[]
    for (i, v) in enumerate(x)
        if isnan(v) || abs(v) > k
            push!(where_, i)
        else
            push!(kept, v)
        end
    end
    push!(kept, -1.0)
    n = length(kept)
    z = [1 < i < n ? kept[i+1] - kept[i-1] : kept[i] for i in 1:n]
    top = findfirst(==(maximum(z)), z)
    z[1], z[top] = z[top], z[1]
    while length(z) % 3 != 0
        push!(z, 0.0)
    end
    y = Matrix{Float64}(undef, 3, length(z) ÷ 3)
    for c in axes(y, 2), r in 1:3
        y[r, c] = z[3c-2] == 0 ? 9.0 : z[3c-3+r]
    end
    total = similar(y)
    for r in 1:3
        sum = 0.0
        for c in axes(y, 2)
            sum += y[r, c]
            total[r, c] = sum < 0 ? 0.0 : sum
        end
    end
    return y, where_, total
end
