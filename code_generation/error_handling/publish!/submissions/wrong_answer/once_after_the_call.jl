# Ends single subscriptions after the call, in a finally block, which is too late for inner events.
function subscribe!(handler::Function, bus::Bus, topic::Symbol; priority = 0, once = false)
    bus.last_id += 1
    push!(bus.subscriptions, Subscription(bus.last_id, topic, handler, priority, once, true))
    sort!(bus.subscriptions; by = s -> s.priority, rev = true)
    return bus.last_id
end
function unsubscribe!(bus::Bus, id::Integer)
    i = findfirst(s -> s.id == id, bus.subscriptions)
    i === nothing && return false
    bus.subscriptions[i].active = false
    deleteat!(bus.subscriptions, i)
    return true
end
unsubscribe_all!(bus::Bus, topic::Symbol) = count(s -> unsubscribe!(bus, s.id), filter(s -> s.topic == topic, bus.subscriptions))
function publish!(bus::Bus, topic::Symbol, payload)
    calls = 0
    problems = []
    for s in copy(bus.subscriptions)
        s.active && reaches(s, topic) || continue
        calls += 1
        try
            s.handler(topic, payload)
        catch e
            e isa InterruptException && rethrow()
            push!(problems, e)
        finally
            s.once && unsubscribe!(bus, s.id)
        end
    end
    isempty(problems) || throw(problems[1])
    return calls
end
