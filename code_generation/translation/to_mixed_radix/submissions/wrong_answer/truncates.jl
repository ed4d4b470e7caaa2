# Divides as C does.
function to_mixed_radix(n::Integer, bases)
    digits = BigInt[]
    for base in Iterators.reverse(bases)
        n, digit = divrem(big(n), big(base))
        pushfirst!(digits, digit)
    end
    return pushfirst!(digits, n)
end
