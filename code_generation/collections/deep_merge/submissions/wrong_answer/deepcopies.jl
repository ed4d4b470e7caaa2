# Copies vectors and all else along with the dictionaries.
function deep_merge(base::AbstractDict, overrides::AbstractDict...)
    settings = typed(deepcopy(base))
    foreach(override -> apply!(settings, deepcopy(override)), overrides)
    return settings
end
typed(value) = value
typed(dict::AbstractDict) = Dict{String, Any}(key => typed(value) for (key, value) in dict)
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
