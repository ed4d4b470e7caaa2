# Adds in a wider type and clamps there.
saturating_add(a::T, b::T) where {T<:Integer} =
    T(clamp(widen(a) + widen(b), typemin(T), typemax(T)))
saturating_add(a::BigInt, b::BigInt) = a + b
