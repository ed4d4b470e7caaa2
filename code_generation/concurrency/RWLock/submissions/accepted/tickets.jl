# Tickets in a queue, with a channel for each that waits.
mutable struct Ticket
    owner::Task
    exclusive::Bool
    answer::Channel{Bool}          # true: come in; false: too late
end

mutable struct RWLock
    inside::Vector{Task}           # an entry for each time that a task is inside
    exclusive::Bool
    line::Vector{Ticket}
end

RWLock() = RWLock(Task[], false, Ticket[])

fits(l::RWLock, exclusive) = isempty(l.inside) || (!exclusive && !l.exclusive)

function move_up!(l::RWLock)
    while !isempty(l.line) && fits(l, l.line[1].exclusive)
        ticket = popfirst!(l.line)
        push!(l.inside, ticket.owner)
        l.exclusive = ticket.exclusive
        put!(ticket.answer, true)
    end
end

function give_up!(l::RWLock, ticket::Ticket)
    place = findfirst(==(ticket), l.line)
    place === nothing && return
    deleteat!(l.line, place)
    put!(ticket.answer, false)
    move_up!(l)
end

function come_in!(l::RWLock, exclusive, seconds)
    me = current_task()
    if me in l.inside
        exclusive && !l.exclusive && throw(ArgumentError("this task reads already"))
        push!(l.inside, me)
        return true
    end
    ticket = Ticket(me, exclusive, Channel{Bool}(1))
    push!(l.line, ticket)
    move_up!(l)
    isready(ticket.answer) && return take!(ticket.answer)
    timer = isinf(seconds) ? nothing : Timer(_ -> give_up!(l, ticket), seconds)
    try
        return take!(ticket.answer)
    finally
        timer === nothing || close(timer)
    end
end

function go_out!(l::RWLock)
    deleteat!(l.inside, findfirst(==(current_task()), l.inside))
    move_up!(l)
end

function within(f, l, exclusive, seconds)
    come_in!(l, exclusive, seconds) || return nothing
    try
        return f()
    finally
        go_out!(l)
    end
end

reading(f, l::RWLock) = within(f, l, false, Inf)
writing(f, l::RWLock; seconds::Real = Inf) = within(f, l, true, seconds)
