# Scans the sorted tasks for the first one whose needs are done.
function build_order(dependencies::Dict{String, Vector{String}})
    tasks = sort!(unique!(vcat(collect(keys(dependencies)), reduce(vcat, values(dependencies); init = String[]))))
    done = Set{String}()
    order = String[]
    while !isempty(tasks)
        at = findfirst(t -> all(in(done), get(dependencies, t, String[])), tasks)
        at === nothing && throw(ArgumentError("cycle"))
        task = tasks[at]
        deleteat!(tasks, at)
        push!(order, task); push!(done, task)
    end
    return order
end
