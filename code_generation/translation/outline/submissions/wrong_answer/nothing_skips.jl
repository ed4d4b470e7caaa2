# A child that is nothing is skipped instead of ending the list.
struct Outline
    root::Any
end

outline(node) = Outline(node)

Base.IteratorSize(::Type{Outline}) = Base.SizeUnknown()

Base.iterate(o::Outline) = visit(o.root, Int[], nothing)

# The state is a linked list of levels, the innermost first: the children there, the state of their iteration (a
# tuple, empty at the start), the label of the node and the levels above.
struct Level
    children::Any
    state::Any
    prefix::Vector{Int}
    number::Int
    above::Union{Level, Nothing}
end

function Base.iterate(::Outline, level)
    while level !== nothing
        next = iterate(level.children, level.state...)
        child = next === nothing ? nothing : made(next[1])
        if next !== nothing && child === nothing
            level = Level(level.children, (next[2],), level.prefix, level.number + 1, level.above)
            continue
        end
        if child !== nothing
            here = Level(level.children, (next[2],), level.prefix, level.number + 1, level.above)
            return visit(child, [level.prefix; here.number], here)
        end
        level = level.above
    end
    return nothing
end

function visit((name, children), prefix, above)
    label = isempty(prefix) ? "0" : join(prefix, ".")
    return (length(prefix), label, name), Level(children, (), prefix, 0, above)
end

made(child) = child
made(child::Function) = child()
