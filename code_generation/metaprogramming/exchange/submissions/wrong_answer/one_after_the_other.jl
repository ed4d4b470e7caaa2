# Reads and writes one place before the parts of the other are evaluated.
macro exchange(a, b)
    parts_a, parts_b = Expr[], Expr[]
    first_place, second_place = place!(parts_a, a), place!(parts_b, b)
    return quote
        $(parts_a...)
        old = $first_place
        $(parts_b...)
        $first_place = $second_place
        $second_place = old
        nothing
    end
end

function place!(parts, ex)
    ex isa Symbol && return esc(ex)
    if Meta.isexpr(ex, :ref)
        return Expr(:ref, [once!(parts, part) for part in ex.args]...)
    elseif Meta.isexpr(ex, :.) && ex.args[2] isa QuoteNode
        return Expr(:., once!(parts, ex.args[1]), ex.args[2])
    end
    throw(ArgumentError("@exchange needs a variable, an element or a field, not $ex"))
end

function once!(parts, ex)
    name = gensym()
    push!(parts, :($name = $(esc(ex))))
    return name
end
