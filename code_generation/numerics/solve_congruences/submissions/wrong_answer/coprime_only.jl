# Assumes that the moduli are coprime.
function solve_congruences(remainders::AbstractVector{<:Integer}, moduli::AbstractVector{<:Integer})
    length(remainders) == length(moduli) || throw(DimensionMismatch("lengths"))
    any(n -> n < 1, moduli) && throw(ArgumentError("modulus"))
    m = prod(big.(moduli))
    x = big(0)
    for (r, n) in zip(remainders, moduli)
        rest = div(m, n)
        g, p, _ = gcdx(rest, big(n))
        g == 1 || return nothing
        x += r * p * rest
    end
    return (mod(x, m), m)
end
