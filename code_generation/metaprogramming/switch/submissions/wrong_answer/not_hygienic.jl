# Escapes everything, its own variable included.
macro switch(subject, body)
    Meta.isexpr(body, :block) || throw(ArgumentError("@switch needs a begin ... end block"))
    entries = filter(line -> !(line isa LineNumberNode), body.args)
    chain = :(throw(ArgumentError("no pattern of @switch matches $(repr(value))")))
    for (i, entry) in Iterators.reverse(enumerate(entries))
        pattern, result = pattern_and_result(entry)
        if pattern === :_
            i == length(entries) || throw(ArgumentError("_ must be the last pattern of @switch"))
            chain = result
        else
            chain = Expr(:if, :(isequal(value, $pattern)), result, chain)
        end
    end
    return esc(quote
        value = $subject
        $chain
    end)
end

function pattern_and_result(entry)
    if Meta.isexpr(entry, :call, 3) && entry.args[1] === :(=>)
        return entry.args[2], entry.args[3]
    end
    throw(ArgumentError("an entry of @switch is not pattern => result: $entry"))
end
