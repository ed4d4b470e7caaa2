# allocate rounds towards zero, so the parts of a negative amount do not add up.
struct Money
    cents::Int
    currency::Symbol
end

function check_currencies(a::Money, b::Money)
    a.currency == b.currency && return
    throw(ArgumentError("cannot combine $(a.currency) with $(b.currency)"))
end

function Base.:+(a::Money, b::Money)
    check_currencies(a, b)
    return Money(a.cents + b.cents, a.currency)
end

Base.:-(m::Money) = Money(-m.cents, m.currency)
Base.:-(a::Money, b::Money) = a + -b
Base.:*(m::Money, k::Integer) = Money(m.cents * k, m.currency)
Base.:*(k::Integer, m::Money) = m * k

function Base.isless(a::Money, b::Money)
    check_currencies(a, b)
    return a.cents < b.cents
end

function Base.show(io::IO, m::Money)
    whole, rest = divrem(abs(m.cents), 100)
    print(io, m.cents < 0 ? "-" : "", whole, '.', lpad(rest, 2, '0'), ' ', m.currency)
end

function allocate(m::Money, n::Integer)
    n >= 1 || throw(ArgumentError("cannot divide an amount into $n parts"))
    share, extra = divrem(m.cents, n)
    return [Money(share + (i <= extra), m.currency) for i in 1:n]
end
