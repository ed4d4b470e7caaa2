# The same reshapes with all axes in reverse order.
function to_blocks(a::AbstractMatrix, b::Integer)
    n, m = size(a)
    (b < 1 || n % b != 0 || m % b != 0) && throw(ArgumentError("no whole tiles"))
    c = reshape(permutedims(a), b, m ÷ b, b, n ÷ b)
    return permutedims(reshape(permutedims(c, (1, 3, 2, 4)), b * b, (n ÷ b) * (m ÷ b)))
end
