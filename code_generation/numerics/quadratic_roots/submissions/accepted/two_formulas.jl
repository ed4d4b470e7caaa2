# Computes one root by each formula, chosen by the sign of b.
function quadratic_roots(a::Real, b::Real, c::Real)
    A, B, C = float.((a, b, c)) .* 1.0
    if A == 0
        B == 0 && throw(ArgumentError("degenerate"))
        return Float64[-C / B]
    end
    d = B * B - 4A * C
    if d < 0
        return Float64[]
    elseif d == 0
        return Float64[-B / 2A]
    end
    s = sqrt(d)
    if B >= 0
        x1 = (-B - s) / (2A); x2 = 2C / (-B - s)
    else
        x1 = (-B + s) / (2A); x2 = 2C / (-B + s)
    end
    return Float64[min(x1, x2), max(x1, x2)]
end
