# Adds rational numbers.
function exact_sum(xs)
    total = zero(Rational{BigInt})
    rest = 0.0
    for x in xs
        isfinite(x) ? (total += Rational{BigInt}(x)) : (rest += x)
    end
    rest == 0 || return rest
    return setprecision(() -> Float64(BigFloat(numerator(total)) / BigFloat(denominator(total))), BigFloat, 5000)
end
