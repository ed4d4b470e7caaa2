# The least significant digit first.
function to_mixed_radix(n::Integer, bases)
    digits = BigInt[]
    for base in Iterators.reverse(bases)
        n, digit = fldmod(big(n), big(base))
        push!(digits, digit)
    end
    return push!(digits, n)
end
