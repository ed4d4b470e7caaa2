# Compares with the room that is left before it adds.
function saturating_add(a::T, b::T) where {T<:Integer}
    T === BigInt && return a + b
    if b > 0
        return a > typemax(T) - b ? typemax(T) : a + b
    end
    return a < typemin(T) - b ? typemin(T) : a + b
end
