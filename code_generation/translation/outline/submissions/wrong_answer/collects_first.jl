# Makes the whole list at once, with a limit against endless trees.
function outline(node, prefix = Int[], list = Any[])
    length(list) > 2000 && return list
    name, children = node
    push!(list, (length(prefix), isempty(prefix) ? "0" : join(prefix, "."), name))
    for (i, child) in enumerate(Iterators.take(children, 2000))
        child isa Function && (child = child())
        child === nothing && break
        length(prefix) < 1600 && outline(child, [prefix; i], list)
    end
    return list
end
