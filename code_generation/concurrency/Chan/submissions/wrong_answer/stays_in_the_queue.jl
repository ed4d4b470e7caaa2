# An interrupted task keeps its place in the queues.
# A task that waits, for the first of several cases to be settled.
mutable struct Waiter
    task::Task
    settled::Bool
    result::Any         # the pair of the case's number and the value; nothing if all channels were closed
    alive::Int          # how many of its cases can still be done
end

struct Entry
    waiter::Waiter
    number::Int
    value::Any
end

mutable struct Chan{T} <: AbstractChannel{T}
    capacity::Int
    values::Vector{T}
    takers::Vector{Entry}
    putters::Vector{Entry}
    closed_by::Any      # nothing while it is open
    Chan{T}(capacity::Integer = 0) where {T} = new{T}(capacity, T[], Entry[], Entry[], nothing)
end

struct Take{C<:Chan}
    channel::C
end
struct Put{C<:Chan,T}
    channel::C
    value::T
end
Put(c::Chan{T}, x) where {T} = (y = convert(T, x)::T; Put{typeof(c),T}(c, y))

Base.isopen(c::Chan) = c.closed_by === nothing
Base.isready(c::Chan) = !isempty(c.values) || !isempty(c.putters)

function settle!(entry::Entry, value)
    entry.waiter.settled = true
    entry.waiter.result = entry.number => value
    leave!(entry.waiter)
    schedule(entry.waiter.task)
end

# The queues that a waiter stands in are found by its cases, which are kept with it.
const QUEUES = IdDict{Waiter,Vector{Vector{Entry}}}()

function leave!(waiter::Waiter)
    for queue in pop!(QUEUES, waiter, Vector{Entry}[])
        filter!(entry -> entry.waiter !== waiter, queue)
    end
end

# What can be done at once is done: Some(value), or nothing.
function attempt!(case::Take)
    c = case.channel
    if !isempty(c.values)
        value = popfirst!(c.values)
        move_up!(c)
        return Some(value)
    elseif !isempty(c.putters)
        entry = first(c.putters)
        settle!(entry, entry.value)
        return Some(entry.value)
    end
    return nothing
end
function attempt!(case::Put)
    c = case.channel
    isopen(c) || return nothing
    if !isempty(c.takers)
        settle!(first(c.takers), case.value)
    elseif length(c.values) < c.capacity
        push!(c.values, case.value)
    else
        return nothing
    end
    return Some(case.value)
end

function move_up!(c::Chan)
    while !isempty(c.putters) && length(c.values) < c.capacity
        entry = first(c.putters)
        push!(c.values, entry.value)
        settle!(entry, entry.value)
    end
end

# A value whose taker was interrupted: to the next one, or in front of all others.
function give_back!(c::Chan, value)
    isempty(c.takers) ? pushfirst!(c.values, value) : settle!(first(c.takers), value)
end

possible(case::Union{Take,Put}) = isopen(case.channel)
queue(case::Take) = case.channel.takers
queue(case::Put) = case.channel.putters
entry_value(case::Take) = nothing
entry_value(case::Put) = case.value

function at_once!(cases)
    isempty(cases) && throw(ArgumentError("select! needs a case"))
    for (number, case) in enumerate(cases)
        done = attempt!(case)
        done === nothing || return number => something(done)
    end
    any(possible, cases) || throw(first(cases).channel.closed_by)
    return nothing
end

function select!(f, cases::Union{Take,Put}...)
    done = at_once!(cases)
    return done === nothing ? f() : done
end

function select!(cases::Union{Take,Put}...)
    done = at_once!(cases)
    done === nothing || return done
    waiter = Waiter(current_task(), false, nothing, count(possible, cases))
    QUEUES[waiter] = Vector{Entry}[]
    for (number, case) in enumerate(cases)
        possible(case) || continue
        push!(queue(case), Entry(waiter, number, entry_value(case)))
        push!(QUEUES[waiter], queue(case))
    end
    try
        while !waiter.settled
            wait()
        end
    catch
        if waiter.settled && waiter.result !== nothing
            number, value = waiter.result
            cases[number] isa Take && give_back!(cases[number].channel, value)
        end
        waiter.settled = true
        rethrow()
    end
    waiter.result === nothing && throw(first(cases).channel.closed_by)
    return waiter.result
end

Base.put!(c::Chan, x) = select!(Put(c, x)).second
Base.take!(c::Chan) = select!(Take(c)).second

function Base.close(c::Chan, exception::Exception = InvalidStateException("Channel is closed.", :closed))
    isopen(c) || return
    c.closed_by = exception
    entries = [c.takers; c.putters]
    empty!(c.takers)
    empty!(c.putters)
    for entry in entries
        waiter = entry.waiter
        waiter.alive -= 1
        if waiter.alive == 0 && !waiter.settled
            waiter.settled = true
            leave!(waiter)
            schedule(waiter.task)
        end
    end
    return
end

function Base.iterate(c::Chan, _ = nothing)
    try
        return take!(c), nothing
    catch e
        !isopen(c) && e === c.closed_by && e isa InvalidStateException && e.state === :closed && return nothing
        rethrow()
    end
end
Base.eltype(::Type{<:Chan{T}}) where {T} = T
Base.IteratorSize(::Type{<:Chan}) = Base.SizeUnknown()
