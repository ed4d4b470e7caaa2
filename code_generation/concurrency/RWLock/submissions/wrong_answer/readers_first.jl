# A reader goes in whenever no writer is inside.
mutable struct Waiting
    task::Task
    writes::Bool
    ready::Condition
    admitted::Bool
end

mutable struct RWLock
    readers::Dict{Task,Int}                  # how often each reader is inside
    writer::Union{Task,Nothing}
    depth::Int                               # how often the writer is inside
    queue::Vector{Waiting}
end

RWLock() = RWLock(Dict{Task,Int}(), nothing, 0, Waiting[])

# Lets in whoever is first in the queue, and readers behind readers.
function admit!(l::RWLock)
    while !isempty(l.queue)
        next = l.queue[1]
        if next.writes
            (l.writer === nothing && isempty(l.readers)) || return nothing
            l.writer, l.depth = next.task, 1
        else
            l.writer === nothing || return nothing
            l.readers[next.task] = get(l.readers, next.task, 0) + 1
        end
        popfirst!(l.queue)
        next.admitted = true
        notify(next.ready)
    end
    return nothing
end

# Waits for a place; false if the time is over before.
function enter!(l::RWLock, writes::Bool, seconds)
    waiting = Waiting(current_task(), writes, Condition(), false)
    push!(l.queue, waiting)
    admit!(l)
    waiting.admitted && return true
    timer = seconds < Inf ? Timer(_ -> notify(waiting.ready), seconds) : nothing
    try
        while !waiting.admitted
            wait(waiting.ready)
            (waiting.admitted || timer === nothing || isopen(timer)) || break
        end
    finally
        timer === nothing || close(timer)
        if !waiting.admitted
            # Those behind may have waited for nobody but this one.
            filter!(w -> w !== waiting, l.queue)
            admit!(l)
        end
    end
    return waiting.admitted
end

function leave_reading!(l::RWLock)
    task = current_task()
    (l.readers[task] -= 1) == 0 && delete!(l.readers, task)
    admit!(l)
    return nothing
end

function leave_writing!(l::RWLock)
    (l.depth -= 1) == 0 && (l.writer = nothing)
    admit!(l)
    return nothing
end

function reading(f, l::RWLock)
    task = current_task()
    if l.writer === task
        return f()
    elseif haskey(l.readers, task)
        l.readers[task] += 1                 # inside already: it must not wait for a writer that waits for it
    else
        l.writer === nothing ? (l.readers[task] = 1) : enter!(l, false, Inf)
    end
    try
        return f()
    finally
        leave_reading!(l)
    end
end

function writing(f, l::RWLock; seconds::Real = Inf)
    task = current_task()
    if l.writer === task
        l.depth += 1
    elseif haskey(l.readers, task)
        throw(ArgumentError("a reader cannot become a writer"))
    else
        enter!(l, true, seconds) || return nothing
    end
    try
        return f()
    finally
        leave_writing!(l)
    end
end
