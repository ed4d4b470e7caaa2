# A central difference.
function derivative(f, x::Real)
    x = float(x)
    h = cbrt(eps(float(one(x)))) * max(abs(x), one(x))
    return (f(x + h) - f(x - h)) / 2h
end
