# Adds whole multiples of the smallest Float64 as BigInt; infinities and NaN apart.
function exact_sum(xs)
    total = big(0)
    special = 0.0
    for x in xs
        if isfinite(x)
            x == 0 && continue
            digits, power, s = Base.decompose(x)
            total += s * digits * big(2)^(power + 1074)
        else
            special += x
        end
    end
    special == 0 || return special
    return setprecision(() -> Float64(ldexp(BigFloat(total), -1074)), BigFloat, 3000)
end
