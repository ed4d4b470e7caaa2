# Interprets the expressions, finds circles, but evaluates a rule each time it is named.
function add!(rules::RuleSet, name::Symbol, source::AbstractString)
    rules.compiled[name] = read_formula(name, source)
    rules.sources[name] = source
    return rules
end

evaluate(rules::RuleSet, name::Symbol, row::Dict{Symbol,Any}) =
    haskey(rules.compiled, name) ? value(rules, row, name, Symbol[]) : throw(RuleError(name, :unknown))

const STEPS = Ref(0)
function value(rules, row, ex, open)
    ex isa Symbol || ex isa Expr || return ex
    if ex isa Symbol
        haskey(row, ex) && return row[ex]
        haskey(rules.compiled, ex) || throw(RuleError(ex, :unknown))
        ex in open && throw(RuleError(ex, :cycle))
        (STEPS[] += 1) > 10^5 && error("too many steps")
        return value(rules, row, rules.compiled[ex], [open; ex])
    end
    go(x) = value(rules, row, x, open)
    a = ex.args
    ex.head == :call && return FUNCTIONS[a[1]](map(go, a[2:end])...)
    ex.head == :&& && return go(a[1]) && go(a[2])
    ex.head == :|| && return go(a[1]) || go(a[2])
    ex.head == :if && return go(a[1]) ? go(a[2]) : go(a[3])
    return all(i -> FUNCTIONS[a[i]](go(a[i - 1]), go(a[i + 1])), 2:2:length(a))
end
