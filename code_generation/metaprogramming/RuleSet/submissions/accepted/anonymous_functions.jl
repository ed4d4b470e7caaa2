# Generates an anonymous function in which every name is a call, and calls it in the latest world.
with_lookups(ex, find) = ex
with_lookups(ex::Symbol, find) = :($find($(QuoteNode(ex))))
function with_lookups(ex::Expr, find)
    ex.head == :call && return Expr(:call, FUNCTIONS[ex.args[1]], (with_lookups(a, find) for a in ex.args[2:end])...)
    if ex.head == :comparison
        parts = Any[isodd(i) ? with_lookups(a, find) : FUNCTIONS[a] for (i, a) in enumerate(ex.args)]
        return Expr(:comparison, parts...)
    end
    return Expr(ex.head, (with_lookups(a, find) for a in ex.args)...)
end

function add!(rules::RuleSet, name::Symbol, source::AbstractString)
    find = gensym()
    ex = with_lookups(read_formula(name, source), find)
    rules.compiled[name] = Core.eval(@__MODULE__, Expr(:->, find, ex))
    rules.sources[name] = source
    return rules
end

struct Pending end

function evaluate(rules::RuleSet, name::Symbol, row::Dict{Symbol,Any})
    haskey(rules.compiled, name) || throw(RuleError(name, :unknown))
    return lookup(rules, row, Dict{Symbol,Any}(), name)
end

function lookup(rules::RuleSet, row, cache, name::Symbol)
    haskey(row, name) && return row[name]
    haskey(rules.compiled, name) || throw(RuleError(name, :unknown))
    known = get(cache, name, nothing)
    known isa Pending && throw(RuleError(name, :cycle))
    haskey(cache, name) && return known
    cache[name] = Pending()
    value = Base.invokelatest(rules.compiled[name], other -> lookup(rules, row, cache, other))
    cache[name] = value
    return value
end
