# Makes code to read and code to write for each place, with names of its own, and escapes it all.
macro exchange(a, b)
    sa, ra, wa = access(a)
    sb, rb, wb = access(b)
    x, y = gensym("x"), gensym("y")
    return esc(Expr(:block, sa..., sb..., :($x = $ra), :($y = $rb), wa(y), wb(x), nothing))
end
function access(p)
    if p isa Symbol
        return [], p, v -> :($p = $v)
    elseif p isa Expr && p.head == :ref
        names = [gensym("part") for _ in p.args]
        setup = [:($n = $e) for (n, e) in zip(names, p.args)]
        c, is = names[1], names[2:end]
        return setup, :($getindex($c, $(is...))), v -> :($setindex!($c, $v, $(is...)))
    elseif p isa Expr && p.head == :. && p.args[2] isa QuoteNode
        o = gensym("object")
        return [:($o = $(p.args[1]))], :($getproperty($o, $(p.args[2]))), v -> :($setproperty!($o, $(p.args[2]), $v))
    end
    error("@exchange: not a place: $p")
end
