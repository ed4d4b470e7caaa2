# Calls the compiled functions in the latest world, and leaves the rest as it was.
function lookup(rules::RuleSet, row, cache, name::Symbol)
    haskey(row, name) && return row[name]
    return get!(cache, name) do
        haskey(rules.compiled, name) || throw(RuleError(name, :unknown))
        Base.invokelatest(rules.compiled[name], rules, row, cache)
    end
end

function evaluate(rules::RuleSet, name::Symbol, row::Dict{Symbol,Any})
    haskey(rules.compiled, name) || throw(RuleError(name, :unknown))
    return lookup(rules, row, Dict{Symbol,Any}(), name)
end
