# Renames to a name with one stroke, which may be in use already, and normalizes arguments first.
struct Lam <: Term
    parameter::String
    body::Term
end
free_variables(t::Lam) = setdiff(free_variables(t.body), [t.parameter])
function substitute(t::Lam, name, by)
    t.parameter == name && return t
    t.parameter in free_variables(by) || return Lam(t.parameter, substitute(t.body, name, by))
    new = t.parameter * "'"
    return Lam(new, substitute(substitute(t.body, t.parameter, Var(new)), name, by))
end
number_names(t::Lam, k) = Lam("#$k", number_names(substitute(t.body, t.parameter, Var("#$k")), k + 1))
number_names(t::Add, k) = Add(number_names(t.a, k), number_names(t.b, k))
number_names(t::App, k) = App(number_names(t.f, k), number_names(t.argument, k))
number_names(t::Term, k) = t
Base.:(==)(s::Lam, t::Lam) = text(number_names(s, 0)) == text(number_names(t, 0))
Base.hash(t::Lam, h::UInt) = hash(text(number_names(t, 0)), h)
normalize(t::Lam) = Lam(t.parameter, normalize(t.body))
function normalize(t::App)
    f, argument = normalize(t.f), normalize(t.argument)
    return f isa Lam ? normalize(substitute(f.body, f.parameter, argument)) : App(f, argument)
end
text(t::Lam) = string("(", t.parameter, " -> ", text(t.body), ")")
