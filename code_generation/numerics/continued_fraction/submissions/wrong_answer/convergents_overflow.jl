# Converts to BigInt only after the recurrence.
function continued_fraction(x::Rational{T}) where {T<:Integer}
    p, q = numerator(x), denominator(x)
    q == 0 && throw(ArgumentError("infinite"))
    terms = T[]
    while q != 0
        push!(terms, fld(p, q))
        p, q = q, mod(p, q)
    end
    return terms
end

function convergents(terms::AbstractVector{<:Integer})
    values = Rational{BigInt}[]
    p, p0, q, q0 = 1, 0, 0, 1
    for a in terms
        p, p0 = a * p + p0, p
        q, q0 = a * q + q0, q
        push!(values, big(p) // big(q))
    end
    return values
end
