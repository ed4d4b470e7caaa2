# Builds a trie and walks it recursively: literal child, colon child, star.
mutable struct RouteNode
    literal::Dict{String, RouteNode}
    colon::Union{Nothing, RouteNode}
    star::Any                      # nothing or (names, handler)
    done::Any                      # nothing or (names, handler)
end
RouteNode() = RouteNode(Dict{String, RouteNode}(), nothing, nothing, nothing)
pieces(s) = String[p for p in split(s, '/') if p != ""]
function insert_route!(root, pattern, handler)
    node, names = root, String[]
    list = pieces(pattern)
    for (i, p) in enumerate(list)
        (p == ":" || p == "*") && throw(ArgumentError("no name"))
        if p[1] == ':'
            push!(names, p[2:end])
            node.colon === nothing && (node.colon = RouteNode())
            node = node.colon
        elseif p[1] == '*'
            i == length(list) || throw(ArgumentError("star before the end"))
            push!(names, p[2:end])
            node.star === nothing && (node.star = (names, handler))
            return
        else
            node = get!(RouteNode, node.literal, p)
        end
    end
    node.done === nothing && (node.done = (names, handler))
    return
end
function walk(node, path, i, values)
    if i > length(path)
        node.done === nothing && return nothing
        return node.done[2], Dict{String, String}(zip(node.done[1], values))
    end
    if haskey(node.literal, path[i])
        found = walk(node.literal[path[i]], path, i + 1, values)
        found === nothing || return found
    end
    if node.colon !== nothing
        found = walk(node.colon, path, i + 1, [values; path[i]])
        found === nothing || return found
    end
    node.star === nothing && return nothing
    return node.star[2], Dict{String, String}(zip(node.star[1], [values; join(path[i:end], "/")]))
end
function match_route(routes::AbstractVector{<:Pair}, path::AbstractString)
    root = RouteNode()
    for (pattern, handler) in routes
        insert_route!(root, pattern, handler)
    end
    return walk(root, pieces(path), 1, String[])
end
