# Releases in finally, where an error of a release replaces that of the body.
function with_resources(body, steps::AbstractVector)
    return nested(body, steps)
end
function nested(body, steps, resources...)
    isempty(steps) && return body(resources...)
    acquire, release = steps[1]
    resource = acquire()
    try
        return nested(body, steps[2:end], resources..., resource)
    finally
        release(resource)
    end
end
