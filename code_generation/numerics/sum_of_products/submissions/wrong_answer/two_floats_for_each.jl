# The products exactly as two floats each, and all four added up one after another: nearly right, in the usual range.
function sum_of_products(a::Float64, b::Float64, c::Float64, d::Float64)
    p, q = a * b, c * d
    return (p + q) + (fma(a, b, -p) + fma(c, d, -q))
end
