# Computes with the integers it was given, which overflow.
function quadratic_roots(a::Real, b::Real, c::Real)
    if a == 0
        b == 0 && throw(ArgumentError("x"))
        return [Float64(-c / b)]
    end
    d = b^2 - 4a * c
    d < 0 && return Float64[]
    d == 0 && return [Float64(-b / 2a)]
    q = -(b + copysign(sqrt(d), b)) / 2
    return sort(Float64[q / a, c / q])
end
