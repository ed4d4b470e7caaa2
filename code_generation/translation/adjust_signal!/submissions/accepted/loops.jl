# Element by element.
function adjust_signal!(a::AbstractVector{T}, gain) where {T}
    n = length(a)
    n < 4 && throw(ArgumentError("too short"))
    for i in 2:2:n
        a[i] *= gain
    end
    result = T[a[1] + 100, a[4] + 100]
    a[1], a[3] = a[3], a[1]
    for i in n-2:n
        push!(result, a[i] + 1000)
    end
    for i in n:-1:3
        a[i] += a[i-2]
    end
    return result
end
