# Forgets that the value is nothing.
macro exchange(a, b)
    parts = Expr[]
    first_place, second_place = place!(parts, a), place!(parts, b)
    return quote
        $(parts...)
        $first_place, $second_place = $second_place, $first_place
    end
end

# The place with its parts in variables; the assignments to these are added to `parts`.
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
