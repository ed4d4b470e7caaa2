# Adds the pairs that were reported and a fallback, but no other pairs.
meet(a::IntSet, b::IntSet) = a == b ? a : Both(a, b)
meet(::Nobody, ::Everybody) = Nobody()
meet(::Everybody, ::Nobody) = Nobody()
meet(::Nobody, ::Nobody) = Nobody()
meet(::Everybody, ::Everybody) = Everybody()
