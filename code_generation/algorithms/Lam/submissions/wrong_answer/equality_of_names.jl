# Substitutes and normalizes properly, but two functions are equal only if their parameters have the same names.
struct Lam <: Term
    parameter::String
    body::Term
end
Base.:(==)(s::Lam, t::Lam) = s.parameter == t.parameter && s.body == t.body
Base.hash(t::Lam, h::UInt) = hash(t.body, hash(t.parameter, h))
free_variables(t::Lam) = setdiff(free_variables(t.body), [t.parameter])
function substitute(t::Lam, name, by)
    name in free_variables(t) || return t
    p = t.parameter
    while p in free_variables(by) || (p != t.parameter && p in free_variables(t))
        p *= "'"
    end
    return Lam(p, substitute(substitute(t.body, t.parameter, Var(p)), name, by))
end
normalize(t::Lam) = Lam(t.parameter, normalize(t.body))
head(t) = t
head(t::App) = (f = head(t.f); f isa Lam ? head(substitute(f.body, f.parameter, t.argument)) : App(f, t.argument))
function normalize(t::App)
    h = head(t)
    return h isa App ? App(normalize(h.f), normalize(h.argument)) : normalize(h)
end
text(t::Lam) = string("(", t.parameter, " -> ", text(t.body), ")")
