# Throws for a linear equation.
function quadratic_roots(a::Real, b::Real, c::Real)
    a, b, c = Float64(a), Float64(b), Float64(c)
    a == 0 && throw(ArgumentError("x"))
    d = b^2 - 4a * c
    d < 0 && return Float64[]
    d == 0 && return [-b / 2a]
    q = -(b + copysign(sqrt(d), b)) / 2
    return sort([q / a, c / q])
end
