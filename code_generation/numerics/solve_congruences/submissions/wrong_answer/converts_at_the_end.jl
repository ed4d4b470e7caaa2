# Computes in the elements' own type, which overflows.
function solve_congruences(remainders::AbstractVector{<:Integer}, moduli::AbstractVector{<:Integer})
    length(remainders) == length(moduli) || throw(DimensionMismatch("lengths"))
    any(n -> n < 1, moduli) && throw(ArgumentError("modulus"))
    x, m = 0, 1
    for (r, n) in zip(remainders, moduli)
        g, p, _ = gcdx(m, n)
        mod(r - x, g) == 0 || return nothing
        l = lcm(m, n)
        x = mod(x + m * p * div(r - x, g), l)
        m = l
    end
    return (big(x), big(m))
end
