# A channel, whose task runs ahead and which can be read only once.
outline(node) = Channel{Any}(c -> fill_outline(c, node, Int[]))
function fill_outline(c, node, prefix)
    name, children = node
    put!(c, (length(prefix), isempty(prefix) ? "0" : join(prefix, "."), name))
    for (i, child) in enumerate(children)
        child isa Function && (child = child())
        child === nothing && break
        fill_outline(c, child, [prefix; i])
    end
end
