# Adds from the front, so that sums are added up again.
function adjust_signal!(a::AbstractVector, gain)
    length(a) >= 4 || throw(ArgumentError("at least four samples are needed"))
    a[2:2:end] .*= gain
    picked = a[[1, 4]] .+ 100         # a copy in Python too
    a[1:3] = a[3:-1:1]
    tail = a[end-2:end] .+ 1000
    for i in 3:length(a)
        a[i] += a[i-2]
    end
    return convert(Vector{eltype(a)}, [picked; tail])
end
