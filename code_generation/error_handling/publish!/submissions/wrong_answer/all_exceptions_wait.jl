# Everything in order but the interruption, which waits for the other handlers, and a drain that stays blocked after an exception.
function subscribe!(handler::Function, bus::Bus, topic::Symbol; priority = 0, once = false)
    bus.last_id += 1
    push!(bus.subscriptions, Subscription(bus.last_id, topic, handler, priority, once, true))
    sort!(bus.subscriptions; by = s -> s.priority, rev = true)
    return bus.last_id
end
function publish!(bus::Bus, topic::Symbol, payload)
    calls = 0
    problems = []
    for id in subscribers(bus, topic)
        i = findfirst(s -> s.id == id, bus.subscriptions)
        i === nothing && continue
        s = bus.subscriptions[i]
        s.once && deleteat!(bus.subscriptions, i)
        calls += 1
        try
            s.handler(topic, payload)
        catch e
            push!(problems, e)
        end
    end
    isempty(problems) || throw(problems[1])
    return calls
end
unsubscribe_all!(bus::Bus, topic::Symbol) = count(id -> unsubscribe!(bus, id), [s.id for s in bus.subscriptions if s.topic == topic])
function drain!(bus::Bus)
    bus.draining && return 0
    bus.draining = true
    n = 0
    while !isempty(bus.queue)
        publish!(bus, popfirst!(bus.queue)...)
        n += 1
    end
    bus.draining = false
    return n
end
