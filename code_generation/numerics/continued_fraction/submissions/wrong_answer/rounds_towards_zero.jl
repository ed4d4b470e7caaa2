# Divides towards zero, so negative numbers get negative terms.
function continued_fraction(x::Rational{T}) where {T<:Integer}
    p, q = numerator(x), denominator(x)
    q == 0 && throw(ArgumentError("infinite"))
    terms = T[]
    while q != 0
        a, r = divrem(p, q)
        push!(terms, a)
        p, q = q, r
    end
    return terms
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
