# A mutable stack of stateful iterators, made anew for each loop.
struct OutlineIterator{T}
    node::T
end
outline(node) = OutlineIterator(node)
Base.IteratorSize(::Type{<:OutlineIterator}) = Base.SizeUnknown()
Base.eltype(::Type{<:OutlineIterator}) = Tuple{Int, String, Any}
function Base.iterate(o::OutlineIterator)
    name, children = o.node
    return (0, "0", name), Any[Any[children, nothing, ""]]
end
function Base.iterate(o::OutlineIterator, stack)
    while !isempty(stack)
        frame = stack[end]
        step = frame[2] === nothing ? iterate(frame[1]) : iterate(frame[1], frame[2][1])
        child = nothing
        if step !== nothing
            child, inner = step
            count = frame[2] === nothing ? 1 : frame[2][2] + 1
            frame[2] = (inner, count)
            child isa Function && (child = child())
        end
        if child === nothing
            pop!(stack)
            continue
        end
        label = frame[3] == "" ? string(frame[2][2]) : frame[3] * "." * string(frame[2][2])
        name, children = child
        depth = length(stack)
        push!(stack, Any[children, nothing, label])
        return (depth, label, name), stack
    end
    return nothing
end
