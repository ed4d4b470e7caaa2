# Fused broadcasting over views, in a function of its own.
function heat_step!(new::AbstractMatrix, old::AbstractMatrix, c)
    axes(new) == axes(old) || throw(DimensionMismatch("sizes differ"))
    n, m = size(old)
    @inbounds for j in 1:m
        for i in 1:n
            new[i, j] = old[i, j]
        end
    end
    for j in 2:m-1
        step_column!(new, old, c, j, n)
    end
    new
end
function step_column!(new, old, c, j, n)
    i = 2
    while i < n
        centre = old[i, j]
        new[i, j] = centre + c * ((old[i-1, j] - centre) + (old[i+1, j] - centre) + (old[i, j-1] - centre) + (old[i, j+1] - centre))
        i += 1
    end
end
