# The same calls as in Python, in Julia's order.
function to_blocks(a::AbstractMatrix, b::Integer)
    n, m = size(a)
    b >= 1 && n % b == 0 && m % b == 0 || throw(ArgumentError("the picture does not consist of whole tiles"))
    blocks = permutedims(reshape(a, n ÷ b, b, m ÷ b, b), (1, 3, 2, 4))
    return reshape(blocks, :, b * b)
end
