# Walks through the ids that were there at the start, and looks each of them up when it is its turn.
function subscribe!(handler::Function, bus::Bus, topic::Symbol; priority = 0, once = false)
    id = bus.last_id = bus.last_id + 1
    push!(bus.subscriptions, Subscription(id, topic, handler, priority, once, true))
    sort!(bus.subscriptions; lt = (a, b) -> a.priority == b.priority ? a.id < b.id : a.priority > b.priority)
    return id
end

function unsubscribe_all!(bus::Bus, topic::Symbol)
    before = length(bus.subscriptions)
    filter!(s -> s.topic != topic, bus.subscriptions)
    return before - length(bus.subscriptions)
end

function publish!(bus::Bus, topic::Symbol, payload)
    calls = Ref(0)
    trouble = Ref{Any}(nothing)
    for id in subscribers(bus, topic)
        index = findfirst(s -> s.id == id, bus.subscriptions)
        index === nothing && continue
        s = bus.subscriptions[index]
        s.once && deleteat!(bus.subscriptions, index)
        calls[] += 1
        try
            s.handler(topic, payload)
        catch e
            e isa InterruptException && rethrow()
            trouble[] === nothing && (trouble[] = Some(e))
        end
    end
    trouble[] === nothing || throw(something(trouble[]))
    return calls[]
end

function drain!(bus::Bus)
    bus.draining && return 0
    bus.draining = true
    n = 0
    try
        while length(bus.queue) > 0
            event = popfirst!(bus.queue)
            n += 1
            publish!(bus, event[1], event[2])
        end
        return n
    finally
        bus.draining = false
    end
end
