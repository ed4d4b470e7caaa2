# Acquires everything before the try, so a failed acquire releases nothing.
function with_resources(body, steps::AbstractVector)
    resources = [acquire() for (acquire, _) in steps]
    errors = Any[]
    result = Ref{Any}(nothing)
    try
        result[] = body(resources...)
    catch err
        push!(errors, err)
    end
    for i in reverse(eachindex(steps))
        try
            steps[i].second(resources[i])
        catch err
            push!(errors, err)
        end
    end
    isempty(errors) || throw(errors[1])
    return result[]
end
