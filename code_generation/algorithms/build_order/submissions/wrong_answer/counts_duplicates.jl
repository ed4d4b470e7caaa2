# Counts a need that is listed twice as two, and calls that a cycle.
function build_order(dependencies::Dict{String, Vector{String}})
    n = Dict(k => length(v) for (k, v) in dependencies)
    for v in values(dependencies), d in v; get!(n, d, 0); end
    order = String[]
    while !isempty(n)
        r = sort([k for (k, c) in n if c == 0])
        isempty(r) && throw(ArgumentError("cycle"))
        t = r[1]; delete!(n, t); push!(order, t)
        for (k, v) in dependencies
            t in v && (n[k] -= 1)
        end
    end
    order
end
