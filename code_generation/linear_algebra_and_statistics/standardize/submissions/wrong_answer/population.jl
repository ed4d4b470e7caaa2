# Divides by n instead of n - 1.
using Statistics
function standardize(A::AbstractMatrix{<:Real}; dims::Integer = 1)
    dims in (1, 2) || throw(ArgumentError("dims"))
    Z = Matrix{float(eltype(A))}(A)
    for z in (dims == 1 ? eachcol(Z) : eachrow(Z))
        if isempty(z) || all(==(first(z)), z)
            z .= 0
        else
            z .= (z .- mean(z)) ./ std(z; corrected = false)
        end
    end
    return Z
end
