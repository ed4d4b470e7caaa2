# Takes small deviations for none.
using Statistics
function standardize(A::AbstractMatrix{<:Real}; dims::Integer = 1)
    dims in (1, 2) || throw(ArgumentError("dims"))
    T = float(eltype(A))
    Z = zeros(T, size(A))
    isempty(A) && return Z
    for (z, a) in zip(dims == 1 ? eachcol(Z) : eachrow(Z), dims == 1 ? eachcol(A) : eachrow(A))
        s = length(a) > 1 ? std(a) : 0.0
        s > 1e-8 && (z .= (a .- mean(a)) ./ s)
    end
    return Z
end
