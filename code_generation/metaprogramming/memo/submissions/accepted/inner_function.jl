# Moves the body to an inner function and keeps the memory in a constant with a new name.
macro memo(def)
    (Meta.isexpr(def, :function, 2) || Meta.isexpr(def, :(=), 2)) || error("@memo: not a function definition")
    call = def.args[1]
    while call isa Expr && call.head == :where
        call = call.args[1]
    end
    (call isa Expr && call.head == :call) || error("@memo: not a function definition")
    names = Symbol[]
    collect_names!(names, call.args[2:end])
    cache, inner, tup, hit = gensym("cache"), gensym("inner"), gensym("key"), gensym("hit")
    keyexpr = Expr(:call, GlobalRef(Core, :tuple), (Expr(:call, GlobalRef(Core, :tuple), Expr(:call, GlobalRef(Core, :typeof), n), n) for n in names)...)
    newbody = quote
        $tup = $keyexpr
        $hit = $(GlobalRef(Base, :get))($cache, $tup, $cache)
        if $hit === $cache
            $inner = () -> $(def.args[2])
            $hit = $inner()
            $(GlobalRef(Base, :setindex!))($cache, $hit, $tup)
        end
        $hit
    end
    return esc(quote
        const $cache = $(GlobalRef(Base, :Dict)){Any, Any}()
        $(Expr(def.head, def.args[1], newbody))
    end)
end
function collect_names!(names, parts)
    for p in parts
        if p isa Symbol
            push!(names, p)
        elseif p.head == :parameters
            collect_names!(names, p.args)
        else
            collect_names!(names, p.args[1:1])
        end
    end
end
