# Takes the smallest of the free tasks from a Dict of sets, again and again.
function build_order(dependencies::Dict{String, Vector{String}})
    pending = Dict(k => Set(v) for (k, v) in dependencies)
    for v in values(dependencies), d in v
        haskey(pending, d) || (pending[d] = Set{String}())
    end
    order = String[]
    while !isempty(pending)
        free = [k for (k, v) in pending if isempty(v)]
        isempty(free) && throw(ArgumentError("cycle"))
        t = minimum(free)
        delete!(pending, t)
        for v in values(pending); delete!(v, t); end
        push!(order, t)
    end
    order
end
