# Works in place on its copy, with the maximum taken slice by slice.
function softmax(A::AbstractArray{<:Real}; dims = 1)
    T = float(eltype(A))
    B = map(T, collect(A))
    isempty(B) && return Array{T}(undef, size(A))
    B .= exp.(B .- mapslices(maximum, B; dims = [dims...]))
    B ./= sum(B; dims = dims)
    return Array{T}(B)
end
