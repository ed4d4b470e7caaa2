# A hash that does not depend on the order, but still on powers of zero that are stored; nothing is copied into a polynomial.
Base.:(==)(a::Monomial, b::Monomial) = all(n -> power(a, n) == power(b, n), union(keys(a.powers), keys(b.powers)))
Base.hash(m::Monomial, h::UInt) = hash(m.powers, h)
Base.hash(m::Monomial) = hash(m, UInt(0))
Base.copy(m::Monomial) = Monomial(copy(m.powers), UInt(0))
names_of(m::Monomial) = sort([n for (n, e) in m.powers if e != 0])
