# Changes nothing in place: every step builds a new dictionary from two.
combine(old, new) = new
combine(old, new::AbstractDict) = combine(Dict{String, Any}(), new)
function combine(old::AbstractDict, new::AbstractDict)
    out = Dict{String, Any}()
    for (k, v) in old
        out[String(k)] = v isa AbstractDict ? fresh(v) : v
    end
    for (k, v) in new
        if v === nothing
            delete!(out, String(k))
        else
            out[String(k)] = combine(haskey(out, k) ? out[k] : nothing, v)
        end
    end
    return out
end
function fresh(d)
    out = Dict{String, Any}()
    for (k, v) in d
        out[String(k)] = v isa AbstractDict ? fresh(v) : v
    end
    return out
end
function deep_merge(base::AbstractDict, overrides::AbstractDict...)
    return foldl(combine, overrides; init = fresh(base))
end
