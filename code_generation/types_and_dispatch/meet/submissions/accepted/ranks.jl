# The simpler of the two sets comes first, by rank; only then is anything decided, on the type of the simpler one.
rank(::Nobody) = 1
rank(::Everybody) = 2
rank(::Few) = 3
rank(::IntSet) = 4

decide(a::Nobody, b, swapped) = a
decide(::Everybody, b, swapped) = b
decide(a::Few, b, swapped) = few([x for x in a.members if x in b])
function decide(a::IntSet, b, swapped)
    a isa Span && b isa Except{Few} && return cut(a, b)
    a isa Except{Few} && b isa Span && return cut(b, a)
    a isa Except && a.out == b && return Nobody()
    b isa Except && b.out == a && return Nobody()
    a == b && return a
    return swapped ? Both(b, a) : Both(a, b)
end

decided(a, b) = rank(a) <= rank(b) ? decide(a, b, false) : decide(b, a, true)

meet(a::IntSet, b::IntSet) = decided(a, b)
meet(a::Except, b::IntSet) = decided(a, b)
meet(a::Except{Few}, b::Span) = decided(a, b)
meet(a::Span, b::Except{Few}) = decided(a, b)
const SIMPLE = (Nobody, Everybody, Few)
for A in SIMPLE
    for B in SIMPLE
        @eval meet(a::$A, b::$B) = decided(a, b)
    end
    @eval meet(a::Except, b::$A) = decided(a, b)
end

function cut(s::Span, e::Except{Few})
    gone = [x for x in e.out.members if x in s]
    isempty(gone) && return s
    big(s.high) - s.low + 1 == length(gone) && return Nobody()
    first_left, last_left = big(s.low), big(s.high)
    while first_left in gone
        first_left += 1
    end
    while last_left in gone
        last_left -= 1
    end
    return any(x -> first_left < x < last_left, gone) ? Both(s, e) : Span(first_left, last_left)
end
