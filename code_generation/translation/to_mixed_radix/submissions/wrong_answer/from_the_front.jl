# Starts with the first base.
function to_mixed_radix(n::Integer, bases)
    digits = BigInt[]
    for base in bases
        n, digit = fldmod(big(n), big(base))
        pushfirst!(digits, digit)
    end
    return pushfirst!(digits, n)
end
