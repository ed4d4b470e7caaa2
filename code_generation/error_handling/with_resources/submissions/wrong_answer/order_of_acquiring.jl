# Releases in the order of acquiring.
function with_resources(body, steps::AbstractVector)
    held, errors = Any[], Any[]
    result = Ref{Any}(nothing)
    try
        for (acquire, release) in steps
            push!(held, (release, acquire()))
        end
        result[] = body(last.(held)...)
    catch err
        push!(errors, err)
    end
    for (release, resource) in held
        try
            release(resource)
        catch err
            push!(errors, err)
        end
    end
    isempty(errors) || throw(errors[1])
    return result[]
end
