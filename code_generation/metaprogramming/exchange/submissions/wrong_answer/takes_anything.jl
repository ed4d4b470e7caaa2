# Accepts any expression as a place, and leaves the complaint to the code it makes.
macro exchange(a, b)
    parts = Expr[]
    first_place, second_place = place!(parts, a), place!(parts, b)
    return quote
        $(parts...)
        $first_place, $second_place = $second_place, $first_place
        nothing
    end
end

# The place with its parts in variables; the assignments to these are added to `parts`.
function place!(parts, ex)
    Meta.isexpr(ex, :ref) || Meta.isexpr(ex, :.) || return esc(ex)
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
