# Stops at a parameter of the same name, but lets parameters capture the variables of the new term.
struct Lam <: Term
    parameter::String
    body::Term
end
free_variables(t::Lam) = setdiff(free_variables(t.body), [t.parameter])
substitute(t::Lam, name, by) = t.parameter == name ? t : Lam(t.parameter, substitute(t.body, name, by))
Base.:(==)(s::Lam, t::Lam) = s.body == substitute(t.body, t.parameter, Var(s.parameter))
Base.hash(t::Lam, h::UInt) = hash(:Lam, h)
normalize(t::Lam) = Lam(t.parameter, normalize(t.body))
function normalize(t::App)
    f = normalize(t.f)
    f isa Lam && return normalize(substitute(f.body, f.parameter, t.argument))
    return App(f, normalize(t.argument))
end
text(t::Lam) = string("(", t.parameter, " -> ", text(t.body), ")")
