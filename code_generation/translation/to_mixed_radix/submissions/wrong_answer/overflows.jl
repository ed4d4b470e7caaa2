# Calculates in the types of the arguments.
function to_mixed_radix(n::Integer, bases)
    digits = BigInt[]
    for base in Iterators.reverse(bases)
        n, digit = fldmod(n, base)
        pushfirst!(digits, digit)
    end
    return pushfirst!(digits, n)
end
