# Anonymous functions with the variables as arguments: their names meet nothing, but all of them are looked up at once.
function add!(rules::RuleSet, name::Symbol, source::AbstractString)
    ex = read_formula(name, source)
    names = variables(ex)
    rules.compiled[name] = (names, eval(Expr(:->, Expr(:tuple, names...), ex)))
    rules.sources[name] = source
    return rules
end

function evaluate(rules::RuleSet, name::Symbol, row::Dict{Symbol,Any})
    haskey(rules.compiled, name) || throw(RuleError(name, :unknown))
    return lookup(rules, row, Dict{Symbol,Any}(), name)
end

const OPEN = Set{Symbol}()

function lookup(rules::RuleSet, row, cache, name::Symbol)
    haskey(row, name) && return row[name]
    haskey(cache, name) && return cache[name]
    haskey(rules.compiled, name) || throw(RuleError(name, :unknown))
    name in OPEN && throw(RuleError(name, :cycle))
    push!(OPEN, name)
    try
        names, f = rules.compiled[name]
        return cache[name] = Base.invokelatest(f, (lookup(rules, row, cache, n) for n in names)...)
    finally
        delete!(OPEN, name)
    end
end
