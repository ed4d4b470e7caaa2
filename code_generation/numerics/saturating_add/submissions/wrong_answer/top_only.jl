# Sticks at the upper limit, whichever one was passed.
saturating_add(a::BigInt, b::BigInt) = a + b
function saturating_add(a::T, b::T) where {T<:Integer}
    total, overflowed = Base.Checked.add_with_overflow(a, b)
    return overflowed ? typemax(T) : total
end
