# Walks through a copy: nobody is skipped, but those who were unsubscribed meanwhile are called all the same.
function subscribe!(handler::Function, bus::Bus, topic::Symbol; priority = 0, once = false)
    bus.last_id += 1
    push!(bus.subscriptions, Subscription(bus.last_id, topic, handler, priority, once, true))
    sort!(bus.subscriptions; by = s -> s.priority, rev = true)
    return bus.last_id
end
unsubscribe_all!(bus::Bus, topic::Symbol) = (n = length(bus.subscriptions); filter!(s -> s.topic != topic, bus.subscriptions); n - length(bus.subscriptions))
function publish!(bus::Bus, topic::Symbol, payload)
    calls = 0
    problems = []
    for s in copy(bus.subscriptions)
        reaches(s, topic) || continue
        s.once && unsubscribe!(bus, s.id)
        calls += 1
        try
            s.handler(topic, payload)
        catch e
            e isa InterruptException && rethrow()
            push!(problems, e)
        end
    end
    isempty(problems) || throw(problems[1])
    return calls
end
function drain!(bus::Bus)
    bus.draining && return 0
    bus.draining = true
    n = 0
    try
        while !isempty(bus.queue)
            publish!(bus, popfirst!(bus.queue)...)
            n += 1
        end
    finally
        bus.draining = false
    end
    return n
end
