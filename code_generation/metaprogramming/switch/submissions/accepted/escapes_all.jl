# Builds one escaped expression with a name of its own, from the first entry to the last by recursion.
macro switch(subject, body)
    body isa Expr && body.head == :block || error("@switch: expected begin ... end")
    name = gensym("subject")
    return esc(Expr(:block, :($name = $subject), branches(name, [x for x in body.args if !isa(x, LineNumberNode)])))
end
function branches(name, entries)
    isempty(entries) && return :($throw($ArgumentError("@switch: nothing matches")))
    entry, rest = entries[1], entries[2:end]
    entry isa Expr && entry.head == :call && entry.args[1] == :(=>) || error("@switch: expected pattern => result")
    if entry.args[2] == :_
        isempty(rest) || error("@switch: _ must come last")
        return entry.args[3]
    end
    return Expr(:if, :($isequal($name, $(entry.args[2]))), entry.args[3], branches(name, rest))
end
