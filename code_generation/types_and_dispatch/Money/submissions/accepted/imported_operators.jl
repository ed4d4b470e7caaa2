# Imports the operators of Base, and allocates part by part with cld.
import Base: +, -, *, isless, show, ==
struct Money
    cents::Int
    currency::Symbol
end
same(f, a, b) = a.currency === b.currency ? f(a.cents, b.cents) : throw(ArgumentError("different currencies"))
+(a::Money, b::Money) = Money(same(+, a, b), a.currency)
-(a::Money, b::Money) = Money(same(-, a, b), a.currency)
-(a::Money) = Money(-a.cents, a.currency)
*(a::Money, k::Integer) = Money(a.cents * k, a.currency)
*(k::Integer, a::Money) = Money(a.cents * k, a.currency)
==(a::Money, b::Money) = a.cents == b.cents && a.currency == b.currency
isless(a::Money, b::Money) = same(isless, a, b)
function show(io::IO, m::Money)
    digits = lpad(string(abs(m.cents)), 3, '0')
    print(io, m.cents < 0 ? "-" : "", digits[1:end-2], ".", digits[end-1:end], " ", m.currency)
end
function allocate(m::Money, n::Integer)
    n < 1 && throw(ArgumentError("n"))
    parts = Money[]
    left = m.cents
    for k in n:-1:1
        p = cld(left, k)
        push!(parts, Money(p, m.currency)); left -= p
    end
    parts
end
