# Adds in Int128, which is no wider than the widest types.
saturating_add(a::BigInt, b::BigInt) = a + b
saturating_add(a::T, b::T) where {T<:Integer} =
    T(clamp(Int128(a) + Int128(b), Int128(typemin(T)), Int128(min(typemax(T), UInt128(typemax(Int128))))))
