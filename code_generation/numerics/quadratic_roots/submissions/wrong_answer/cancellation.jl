# The textbook formula: the small root drowns in rounding.
function quadratic_roots(a::Real, b::Real, c::Real)
    a, b, c = Float64(a), Float64(b), Float64(c)
    if a == 0
        b == 0 && throw(ArgumentError("x"))
        return [-c / b]
    end
    d = b^2 - 4a * c
    d < 0 && return Float64[]
    d == 0 && return [-b / 2a]
    return sort([(-b - sqrt(d)) / 2a, (-b + sqrt(d)) / 2a])
end
