# Merges with mergewith: nothing does not remove keys, and the types are what promotion makes of them.
rule(a::AbstractDict, b::AbstractDict) = mergewith(rule, a, b)
rule(a, b) = b
function deep_merge(base::AbstractDict, overrides::AbstractDict...)
    merged = mergewith(rule, base, overrides...)
    return Dict{String, Any}(k => v for (k, v) in merged if v !== nothing)
end
