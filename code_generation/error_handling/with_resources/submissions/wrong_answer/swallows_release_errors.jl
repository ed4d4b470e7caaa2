# Drops the error of a release although nothing else went wrong.
with_resources(body, steps::AbstractVector) = acquire_from(firstindex(steps), body, steps)

function acquire_from(i, body, steps, resources...)
    i > lastindex(steps) && return body(resources...)
    acquire, release = steps[i]
    resource = acquire()
    result = try
        acquire_from(i + 1, body, steps, resources..., resource)
    catch
        release_quietly(release, resource)
        rethrow()
    end
    release_quietly(release, resource)
    return result
end

# For use after an error, which is not to be replaced by another.
function release_quietly(release, resource)
    try
        release(resource)
    catch
    end
end
