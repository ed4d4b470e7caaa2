# Copies the top level only, so branches of base are changed.
function deep_merge(base::AbstractDict, overrides::AbstractDict...)
    settings = own_copy(base)
    foreach(override -> apply!(settings, override), overrides)
    return settings
end

own_copy(value) = value
own_copy(dict::AbstractDict) = Dict{String, Any}(dict)

function apply!(settings, override)
    for (key, value) in override
        if value === nothing
            delete!(settings, key)
        elseif value isa AbstractDict
            get(settings, key, nothing) isa AbstractDict || (settings[key] = Dict{String, Any}())
            apply!(settings[key], value)
        else
            settings[key] = value
        end
    end
end
