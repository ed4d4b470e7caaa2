# Meets a bad modulus only if nothing before it contradicts.
function solve_congruences(remainders::AbstractVector{<:Integer}, moduli::AbstractVector{<:Integer})
    length(remainders) == length(moduli) || throw(DimensionMismatch("lengths"))
    x, m = big(0), big(1)
    for (r, n) in zip(remainders, moduli)
        n < 1 && throw(ArgumentError("modulus"))
        g, p, _ = gcdx(m, big(n))
        mod(r - x, g) == 0 || return nothing
        l = lcm(m, n)
        x = mod(x + m * p * div(r - x, g), l)
        m = l
    end
    return (x, m)
end
