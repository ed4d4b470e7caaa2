# Renames with a counter, compares with pairs of names, and normalizes step by step.
struct Lam <: Term
    parameter::String
    body::Term
end

const NAMES = Ref(0)

free_variables(t::Lam) = delete!(free_variables(t.body), t.parameter)

function substitute(t::Lam, name, by)
    t.parameter == name && return t
    if t.parameter in free_variables(by) && name in free_variables(t.body)
        taken = union(free_variables(by), free_variables(t.body), [name])
        new = t.parameter
        while new in taken
            new = string(t.parameter, "_", NAMES[] += 1)
        end
        return Lam(new, substitute(substitute(t.body, t.parameter, Var(new)), name, by))
    end
    return Lam(t.parameter, substitute(t.body, name, by))
end

same(s::Num, t::Num, env) = s.value == t.value
function same(s::Var, t::Var, env)
    for (a, b) in Iterators.reverse(env)
        (s.name == a || t.name == b) && return s.name == a && t.name == b
    end
    return s.name == t.name
end
same(s::Add, t::Add, env) = same(s.a, t.a, env) && same(s.b, t.b, env)
same(s::App, t::App, env) = same(s.f, t.f, env) && same(s.argument, t.argument, env)
same(s::Lam, t::Lam, env) = same(s.body, t.body, [env; (s.parameter, t.parameter)])
same(s::Term, t::Term, env) = false
Base.:(==)(s::Lam, t::Lam) = same(s, t, Tuple{String,String}[])

# The size and the kinds of the parts, without any names.
skeleton(t::Num) = string(t.value)
skeleton(t::Var) = "v"
skeleton(t::Add) = "+" * skeleton(t.a) * skeleton(t.b)
skeleton(t::App) = "@" * skeleton(t.f) * skeleton(t.argument)
skeleton(t::Lam) = "L" * skeleton(t.body)
Base.hash(t::Lam, h::UInt) = hash(skeleton(t), h)

step(t::Term) = nothing
function step(t::Lam)
    body = step(t.body)
    return body === nothing ? nothing : Lam(t.parameter, body)
end
function step(t::Add)
    t.a isa Num && t.b isa Num && return Num(t.a.value + t.b.value)
    a = step(t.a)
    a === nothing || return Add(a, t.b)
    b = step(t.b)
    return b === nothing ? nothing : Add(t.a, b)
end
function step(t::App)
    t.f isa Lam && return substitute(t.f.body, t.f.parameter, t.argument)
    f = step(t.f)
    f === nothing || return App(f, t.argument)
    argument = step(t.argument)
    return argument === nothing ? nothing : App(t.f, argument)
end

function run_steps(t)
    while (next = step(t)) !== nothing
        t = next
    end
    return t
end
normalize(t::Lam) = run_steps(t)
normalize(t::App) = run_steps(t)
normalize(t::Add) = run_steps(t)

text(t::Lam) = "(" * t.parameter * " -> " * text(t.body) * ")"
