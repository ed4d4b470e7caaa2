# Leaves zeros in the dictionary and looks at the sorted factors instead; the hash is the sum over the factors.
factors_of(m::Monomial) = sort([n => e for (n, e) in m.powers if e != 0])

function Monomial(factors::Pair...)
    powers = Dict{String,Int}()
    foreach(f -> powers[first(f)] = get(powers, first(f), 0) + last(f), factors)
    return Monomial(powers, zero(UInt))
end

names_of(m::Monomial) = first.(factors_of(m))
Base.:(==)(a::Monomial, b::Monomial) = factors_of(a) == factors_of(b)
Base.isequal(a::Monomial, b::Monomial) = a == b
Base.hash(m::Monomial, h::UInt) = hash(reduce(+, map(hash, factors_of(m)); init = UInt(1)), h)
Base.hash(m::Monomial) = hash(m, UInt(0))
Base.copy(m::Monomial) = Monomial(Dict(m.powers), zero(UInt))

function add!(p::Poly, m::Monomial, factor = 1)
    c = coefficient(p, m) + factor
    delete!(p.terms, m)
    c == 0 || (p.terms[copy(m)] = c)
    return p
end

sorted_terms(p::Poly) = sort([copy(m) => c for (m, c) in p.terms]; by = string ∘ first)

function substitute!(p::Poly, name, other)
    result = Poly()
    for (m, c) in p.terms
        renamed = [(n == name ? other : n) => e for (n, e) in m.powers]
        add!(result, Monomial(renamed...), c)
    end
    empty!(p.terms)
    merge!(p.terms, result.terms)
    return p
end

Base.:+(a::Poly, b::Poly) = foldl((p, (m, c)) -> add!(p, m, c), [collect(a.terms); collect(b.terms)]; init = Poly())
Base.hash(p::Poly, h::UInt) = foldl((x, (m, c)) -> xor(x, hash(m, hash(c))), collect(p.terms); init = hash(0x99, h))
Base.hash(p::Poly) = hash(p, UInt(7))
