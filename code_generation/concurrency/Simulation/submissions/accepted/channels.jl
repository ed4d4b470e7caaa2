# Processes wait for a token from a channel of their own, and the runner waits for their report.
mutable struct Proc
    f::Any
    wake::Channel{Bool}
    started::Bool
    waiting::Vector{Proc}
    state::Symbol
    value::Any
end
mutable struct Simulation
    t::Float64
    count::Int
    events::Dict{Tuple{Float64, Int}, Proc}
    active::Any
    report::Channel{Proc}
end
Simulation() = Simulation(0.0, 0, Dict{Tuple{Float64, Int}, Proc}(), nothing, Channel{Proc}(1))
now(s::Simulation) = s.t
plan!(s, p, t) = (s.count += 1; s.events[(Float64(t), s.count)] = p)
function spawn!(f, s::Simulation; at = now(s))
    at < s.t && throw(ArgumentError("in the past"))
    p = Proc(f, Channel{Bool}(1), false, Proc[], :running, nothing)
    plan!(s, p, at)
    return p
end
function rest!(s)
    p = s.active
    put!(s.report, p)
    take!(p.wake)
    nothing
end
function hold(s::Simulation, dt)
    dt < 0 && throw(ArgumentError("negative time"))
    plan!(s, s.active, s.t + dt)
    rest!(s)
end
function join!(s::Simulation, p::Proc)
    if p.state == :running
        push!(p.waiting, s.active)
        rest!(s)
    end
    p.state == :failed && throw(p.value)
    return p.value
end
function start!(s, p)
    p.started = true
    @async begin
        try
            p.value = p.f()
            p.state = :ended
        catch e
            p.value = e
            p.state = :failed
        end
        for w in p.waiting
            plan!(s, w, s.t)
        end
        put!(s.report, p)
    end
end
function run!(s::Simulation; until = Inf)
    while !isempty(s.events)
        k = minimum(keys(s.events))
        if k[1] > until
            s.t = until
            break
        end
        p = pop!(s.events, k)
        s.t = k[1]
        s.active = p
        p.started ? put!(p.wake, true) : start!(s, p)
        take!(s.report)
        p.state == :failed && isempty(p.waiting) && throw(p.value)
    end
    return s.t
end
