# Asks BigInt for its limits, which it does not have.
function saturating_add(a::T, b::T) where {T<:Integer}
    total = big(a) + big(b)
    total > typemax(T) && return typemax(T)
    total < typemin(T) && return typemin(T)
    return T(total)
end
