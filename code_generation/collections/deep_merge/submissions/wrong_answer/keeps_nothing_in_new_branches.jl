# Takes a new branch over as it is, with the nothings in it.
function deep_merge(base::AbstractDict, overrides::AbstractDict...)
    settings = own_copy(base)
    foreach(override -> apply!(settings, override), overrides)
    return settings
end

own_copy(value) = value
own_copy(dict::AbstractDict) = Dict{String, Any}(key => own_copy(value) for (key, value) in dict)

function apply!(settings, override)
    for (key, value) in override
        if value === nothing
            delete!(settings, key)
        elseif value isa AbstractDict
            if get(settings, key, nothing) isa AbstractDict
                apply!(settings[key], value)
            else
                settings[key] = own_copy(value)
            end
        else
            settings[key] = value
        end
    end
end
