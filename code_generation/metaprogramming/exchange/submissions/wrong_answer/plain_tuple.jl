# The well-known tuple assignment: parts are evaluated twice.
macro exchange(a, b)
    for ex in (a, b)
        ex isa Symbol || Meta.isexpr(ex, :ref) || Meta.isexpr(ex, :.) && ex.args[2] isa QuoteNode ||
            throw(ArgumentError("not a place: $ex"))
    end
    return esc(:(($a, $b) = ($b, $a); nothing))
end
