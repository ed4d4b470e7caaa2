# Takes every field access for a call, because broadcasting has the same head.
called_functions(ex) = sort!(collect(calls!(Set{Symbol}(), ex)))

calls!(found, other) = found

function calls!(found, ex::Expr)
    ex.head === :quote && return found
    if ex.head === :call || is_dot_call(ex)
        add_name!(found, ex.args[1])
    elseif ex.head === :comparison
        foreach(operator -> add_name!(found, operator), ex.args[2:2:end])
    end
    foreach(part -> calls!(found, part), ex.args)
    return found
end

is_dot_call(ex) = Meta.isexpr(ex, :., 2)

add_name!(found, callee) = nothing
add_name!(found, callee::Symbol) = push!(found, Symbol(lstrip(string(callee), '.')))
add_name!(found, callee::Expr) =
    callee.head === :. && callee.args[2] isa QuoteNode && add_name!(found, callee.args[2].value)
