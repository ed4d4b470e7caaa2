# Looks at the whole window when its maximum leaves: as slow as before for descending data.
function sliding_maximum(xs::AbstractVector, width::Integer)
    width >= 1 || throw(ArgumentError("the width must be at least 1"))
    result = similar(xs, 0)
    best = 0
    for start in 1:length(xs)-width+1
        stop = start + width - 1
        if best < start
            best = start
            for i in start+1:stop
                isless(xs[best], xs[i]) && (best = i)
            end
        elseif isless(xs[best], xs[stop])
            best = stop
        end
        push!(result, xs[best])
    end
    return result
end
