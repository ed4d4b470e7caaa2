# Returns the product of the moduli, not their least common multiple.
function solve_congruences(remainders::AbstractVector{<:Integer}, moduli::AbstractVector{<:Integer})
    length(remainders) == length(moduli) || throw(DimensionMismatch("lengths"))
    any(n -> n < 1, moduli) && throw(ArgumentError("modulus"))
    x, m = big(0), big(1)
    for (r, n) in zip(remainders, moduli)
        g, p, _ = gcdx(m, big(n))
        mod(r - x, g) == 0 || return nothing
        x = mod(x + m * p * div(r - x, g), m * n)
        m *= n
    end
    return (x, m)
end
