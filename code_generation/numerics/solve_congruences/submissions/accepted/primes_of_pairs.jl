# Checks every pair first, then divides out the common part and uses invmod.
function solve_congruences(remainders::AbstractVector{<:Integer}, moduli::AbstractVector{<:Integer})
    length(remainders) == length(moduli) || throw(DimensionMismatch("lengths"))
    any(n -> n < 1, moduli) && throw(ArgumentError("modulus"))
    rs, ms = BigInt.(remainders), BigInt.(moduli)
    k = length(ms)
    for i in 1:k, j in i+1:k
        mod(rs[i] - rs[j], gcd(ms[i], ms[j])) == 0 || return nothing
    end
    x, m = big(0), big(1)
    for i in 1:k
        g = gcd(m, ms[i])
        n = div(ms[i], g)
        if n > 1
            x += m * mod(div(rs[i] - x, g) * invmod(div(m, g), n), n)
        end
        m *= n
    end
    return (mod(x, m), m)
end
