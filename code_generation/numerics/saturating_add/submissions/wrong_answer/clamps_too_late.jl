# Clamps the sum after it has wrapped around.
saturating_add(a::BigInt, b::BigInt) = a + b
saturating_add(a::T, b::T) where {T<:Integer} = clamp(a + b, typemin(T), typemax(T))
