# Leaves out tasks that are only needed and have no entry of their own.
function build_order(dependencies::Dict{String, Vector{String}})
    tasks = sort(collect(keys(dependencies))); order = String[]
    while !isempty(tasks)
        at = findfirst(t -> all(d -> !(d in tasks), dependencies[t]), tasks)
        at === nothing && throw(ArgumentError("cycle"))
        push!(order, popat(tasks, at))
    end
    order
end
popat(v, i) = (x = v[i]; deleteat!(v, i); x)
