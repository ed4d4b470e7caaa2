# Kahan's way with one fma: within two units, not always the nearest.
function sum_of_products(a::Float64, b::Float64, c::Float64, d::Float64)
    w = c * d
    e = fma(c, d, -w)
    return fma(a, b, w) + e
end
