# Keeps a stack of what to release and a list of errors, and throws the first of them at the end.
function with_resources(body, steps::AbstractVector)
    errors = Any[]
    result = Ref{Any}(nothing)
    stack = Any[]
    try
        resources = Any[]
        for (acquire, release) in steps
            r = acquire()
            push!(resources, r)
            push!(stack, () -> release(r))
        end
        result[] = body(resources...)
    catch e
        push!(errors, e)
    end
    while !isempty(stack)
        undo = pop!(stack)
        try
            undo()
        catch e
            push!(errors, e)
        end
    end
    isempty(errors) || throw(errors[1])
    return result[]
end
