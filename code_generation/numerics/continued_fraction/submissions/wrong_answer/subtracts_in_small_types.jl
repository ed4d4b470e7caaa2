# Subtracts the whole part in the argument's own type, which overflows near its limits.
function continued_fraction(x::Rational{T}) where {T<:Integer}
    iszero(denominator(x)) && throw(ArgumentError("infinite"))
    terms = T[]
    while true
        a = floor(T, x)
        push!(terms, a)
        x -= a
        iszero(x) && return terms
        x = inv(x)
    end
end

function convergents(terms::AbstractVector{<:Integer})
    values = Rational{BigInt}[]
    p, p0, q, q0 = big(1), big(0), big(0), big(1)
    for a in terms
        p, p0 = a * p + p0, p
        q, q0 = a * q + q0, q
        push!(values, p // q)
    end
    return values
end
