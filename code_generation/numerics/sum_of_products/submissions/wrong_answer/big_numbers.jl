# Right, but it makes big numbers.
function sum_of_products(a::Float64, b::Float64, c::Float64, d::Float64)
    exact = Rational{BigInt}(a) * Rational{BigInt}(b) + Rational{BigInt}(c) * Rational{BigInt}(d)
    return setprecision(() -> Float64(BigFloat(numerator(exact)) / BigFloat(denominator(exact))), BigFloat, 6000)
end
