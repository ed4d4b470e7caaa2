# Right monomials and copies, but renames inside the dictionary and rehashes it, which cannot add terms that became equal.
function Monomial(factors::Pair...)
    m = Monomial(Dict{String,Int}(), UInt(0))
    foreach(f -> multiply!(m, f...), factors)
    return m
end
Base.:(==)(a::Monomial, b::Monomial) = a.powers == b.powers
Base.hash(m::Monomial, h::UInt) = hash(m.powers, h)
Base.hash(m::Monomial) = hash(m, UInt(0))
Base.copy(m::Monomial) = Monomial(copy(m.powers), UInt(0))
function multiply!(m::Monomial, name, by = 1)
    e = power(m, name) + by
    e == 0 ? delete!(m.powers, name) : (m.powers[name] = e)
    return m
end
function add!(p::Poly, m::Monomial, factor = 1)
    c = coefficient(p, m) + factor
    c == 0 ? delete!(p.terms, m) : (p.terms[copy(m)] = c)
    return p
end
sorted_terms(p::Poly) = sort([copy(m) => c for (m, c) in p.terms]; by = t -> string(t[1]))
function substitute!(p::Poly, name, other)
    for m in keys(p.terms)
        e = power(m, name)
        delete!(m.powers, name)
        multiply!(m, other, e)
    end
    Base.rehash!(p.terms)
    return p
end
Base.:+(a::Poly, b::Poly) = foldl((p, t) -> add!(p, t...), vcat(collect(a.terms), collect(b.terms)); init = Poly())
Base.hash(p::Poly, h::UInt) = hash(p.terms, h)
Base.hash(p::Poly) = hash(p, UInt(0))
