# Depth first: an order that works, but not the alphabetical one.
function build_order(dependencies::Dict{String, Vector{String}})
    order = String[]; state = Dict{String,Int}()
    function visit(t)
        s = get(state, t, 0)
        s == 2 && return
        s == 1 && throw(ArgumentError("cycle"))
        state[t] = 1
        foreach(visit, sort(get(dependencies, t, String[])))
        state[t] = 2
        push!(order, t)
    end
    foreach(visit, sort(collect(keys(dependencies))))
    order
end
