# Rotates by one, k times.
function rotate_left!(v::AbstractVector, k::Int)
    isempty(v) && return v
    for _ in 1:mod(k, length(v))
        x = v[1]
        for i in 1:length(v)-1
            v[i] = v[i+1]
        end
        v[end] = x
    end
    return v
end
