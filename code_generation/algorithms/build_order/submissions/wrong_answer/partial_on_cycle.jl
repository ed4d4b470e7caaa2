# Returns the tasks outside a cycle instead of throwing.
function build_order(dependencies::Dict{String, Vector{String}})
    waiting_for = Dict{String, Set{String}}()
    needed_by = Dict{String, Vector{String}}()
    for (task, needs) in dependencies
        waiting_for[task] = Set(needs)
        for need in waiting_for[task]
            get!(() -> Set{String}(get(dependencies, need, String[])), waiting_for, need)
            push!(get!(() -> String[], needed_by, need), task)
        end
    end

    order = String[]
    ready = sort!([task for (task, needs) in waiting_for if isempty(needs)])
    while !isempty(ready)
        task = popfirst!(ready)
        push!(order, task)
        for other in get(needed_by, task, String[])
            delete!(waiting_for[other], task)
            isempty(waiting_for[other]) && insert!(ready, searchsortedfirst(ready, other), other)
        end
    end
    return order
end
