# A release that throws keeps the others from being called.
function with_resources(body, steps::AbstractVector)
    held = Any[]
    try
        for (acquire, release) in steps
            push!(held, (release, acquire()))
        end
        return body(last.(held)...)
    finally
        for (release, resource) in reverse(held)
            release(resource)
        end
    end
end
