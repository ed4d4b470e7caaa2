# Takes 1//0 for a number without terms.
function continued_fraction(x::Rational{T}) where {T<:Integer}
    p, q = numerator(x), denominator(x)
    terms = T[]
    while q != 0
        push!(terms, fld(p, q))
        p, q = q, mod(p, q)
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
