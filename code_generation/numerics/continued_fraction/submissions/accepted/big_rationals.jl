# Works with whole rational numbers in BigInt, and evaluates each convergent from its end.
function continued_fraction(x::Rational{T}) where {T<:Integer}
    denominator(x) == 0 && throw(ArgumentError("infinite"))
    r = Rational{BigInt}(x)
    terms = T[]
    while true
        a = floor(BigInt, r)
        push!(terms, T(a))
        r == a && return terms
        r = inv(r - a)
    end
end

evaluate(terms) = foldr((a, rest) -> a + inv(rest), terms)
convergents(terms::AbstractVector{<:Integer}) =
    Rational{BigInt}[evaluate(Rational{BigInt}.(terms[1:k])) for k in 1:length(terms)]
