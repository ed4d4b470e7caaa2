# Normal forms and a cache that multiply! resets, but keys are shared with callers and renamed in place.
function Monomial(factors::Pair...)
    m = Monomial(Dict{String,Int}(), UInt(0))
    foreach(f -> multiply!(m, f...), factors)
    return m
end
Base.:(==)(a::Monomial, b::Monomial) = a.powers == b.powers
function Base.hash(m::Monomial, h::UInt)
    m.cached == 0 && (m.cached = hash(m.powers))
    return hash(m.cached, h)
end
Base.hash(m::Monomial) = hash(m, UInt(0))
Base.copy(m::Monomial) = Monomial(copy(m.powers), UInt(0))
function multiply!(m::Monomial, name, by = 1)
    m.powers[name] = power(m, name) + by
    m.powers[name] == 0 && delete!(m.powers, name)
    m.cached = 0
    return m
end
function add!(p::Poly, m::Monomial, factor = 1)
    c = coefficient(p, m) + factor
    c == 0 ? delete!(p.terms, m) : (p.terms[m] = c)
    return p
end
Base.:+(a::Poly, b::Poly) = foldl((p, t) -> add!(p, t...), vcat(collect(a.terms), collect(b.terms)); init = Poly())
Base.hash(p::Poly, h::UInt) = hash(p.terms, h)
Base.hash(p::Poly) = hash(p, UInt(0))
