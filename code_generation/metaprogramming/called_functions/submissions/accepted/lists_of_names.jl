# Returns lists of names from the bottom up, and removes duplicates at the end.
function called_functions(ex)
    return sort(unique(Symbol[names_in(ex);]))
end
function names_in(ex)
    ex isa Expr || return Symbol[]
    ex.head == :quote && return Symbol[]
    result = Symbol[]
    for arg in ex.args
        append!(result, names_in(arg))
    end
    ex.head == :comparison && append!(result, vcat(map(name_of, ex.args[2:2:end-1])...))
    ex.head == :call && append!(result, name_of(ex.args[1]))
    ex.head == :. && ex.args[2] isa Expr && ex.args[2].head == :tuple && append!(result, name_of(ex.args[1]))
    return result
end
function name_of(f)
    if f isa Symbol
        s = String(f)
        return [startswith(s, ".") ? Symbol(s[2:end]) : f]
    elseif f isa Expr && f.head == :. && f.args[end] isa QuoteNode
        return name_of(f.args[end].value)
    end
    return Symbol[]
end
