# The tiles from top to bottom first.
function to_blocks(a::AbstractMatrix, b::Integer)
    n, m = size(a)
    b >= 1 && n % b == 0 && m % b == 0 || throw(ArgumentError("the picture does not consist of whole tiles"))
    result = Matrix{eltype(a)}(undef, n * m ÷ b^2, b^2)
    row = 0
    for left in 1:b:m, top in 1:b:n
        row += 1
        result[row, :] = vec(permutedims(a[top:top+b-1, left:left+b-1]))
    end
    return result
end
