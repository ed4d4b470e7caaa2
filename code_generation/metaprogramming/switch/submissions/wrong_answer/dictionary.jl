# Makes a dictionary: all patterns and results are evaluated.
macro switch(subject, body)
    Meta.isexpr(body, :block) || throw(ArgumentError("@switch needs a begin ... end block"))
    entries = filter(line -> !(line isa LineNumberNode), body.args)
    default = :(throw(ArgumentError("no match")))
    pairs = Any[]
    for (i, entry) in enumerate(entries)
        Meta.isexpr(entry, :call, 3) && entry.args[1] === :(=>) || throw(ArgumentError("not an entry"))
        if entry.args[2] === :_
            i == length(entries) || throw(ArgumentError("_ must be last"))
            default = esc(entry.args[3])
        else
            pushfirst!(pairs, esc(entry))
        end
    end
    return :(get(() -> $default, Dict($(pairs...)), $(esc(subject))))
end
