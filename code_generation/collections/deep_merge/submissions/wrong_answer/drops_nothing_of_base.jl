# Drops the nothings of base too.
function deep_merge(base::AbstractDict, overrides::AbstractDict...)
    settings = Dict{String, Any}()
    foreach(override -> apply!(settings, override), (base, overrides...))
    return settings
end

own_copy(value) = value
own_copy(dict::AbstractDict) = Dict{String, Any}(key => own_copy(value) for (key, value) in dict)

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
