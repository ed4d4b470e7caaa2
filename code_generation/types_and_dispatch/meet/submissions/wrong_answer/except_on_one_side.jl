# Resolves all ambiguities, but the excluded set is recognized on the left side only.
meet(a::IntSet, b::IntSet) = a == b ? a : Both(a, b)
meet(a::Except, b::IntSet) = a.out == b ? Nobody() : a == b ? a : Both(a, b)
for A in (:Nobody, :Everybody, :Few, :Except), B in (:Nobody, :Everybody, :Few)
    @eval meet(a::$A, b::$B) =
        a isa Nobody || b isa Nobody ? Nobody() : a isa Everybody ? b : b isa Everybody ? a :
        a isa Few ? few(filter(in(b), a.members)) : few(filter(in(a), b.members))
end
function without(a::Span, b::Except{Few})
    left = [x for x in big(a.low):big(a.high) if x in b]
    isempty(left) && return Nobody()
    return last(left) - first(left) + 1 == length(left) ? Span(first(left), last(left)) : Both(a, b)
end
