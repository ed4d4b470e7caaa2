# Takes the picked elements for a view.
function adjust_signal!(a::AbstractVector, gain)
    length(a) >= 4 || throw(ArgumentError("at least four samples are needed"))
    a[2:2:end] .*= gain
    picked = view(a, [1, 4])
    picked .+= 100
    a[1:3] = a[3:-1:1]
    tail = a[end-2:end] .+ 1000
    a[3:end] .+= a[1:end-2]           # the right side is taken before anything is changed
    return convert(Vector{eltype(a)}, [picked; tail])
end
