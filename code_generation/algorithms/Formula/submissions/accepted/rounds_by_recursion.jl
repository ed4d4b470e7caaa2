# Each round starts the next by recursion.
struct CycleError <: Exception end

abstract type Cell end

# The stamp is another one for each new value. Revisions count all changes of inputs.
mutable struct Input <: Cell
    value::Any
    stamp::Int
    Input(value) = new(value, new_stamp())
end

mutable struct Formula <: Cell
    f::Any
    value::Any                                 # or the exception
    failed::Bool
    kept::Bool
    stamp::Int
    checked::Int                               # the revision for which the value is known to be right
    busy::Bool
    read::Vector{Tuple{Cell,Int}}              # with their stamps, in the order in which they were read first
    Formula(f) = new(f, nothing, false, false, new_stamp(), -1, false, Tuple{Cell,Int}[])
end

mutable struct Watcher
    g::Any
    cell::Cell
    known::Bool
    value::Any
    active::Bool
end

# A run of a formula; without a formula for what is not tracked.
mutable struct Run
    tracked::Bool
    read::Vector{Tuple{Cell,Int}}
    seen::Set{UInt}
    in_cycle::Bool
end
Run(tracked) = Run(tracked, Tuple{Cell,Int}[], Set{UInt}(), false)

const STAMPS = Ref(0)
const REVISION = Ref(0)
const RUNS = Run[]
const WATCHERS = Watcher[]
const DEPTH = Ref(0)            # of calls of together
const CHANGED = Ref(false)
const FLUSHING = Ref(false)
new_stamp() = (STAMPS[] += 1)

note_read(c) = isempty(RUNS) || !RUNS[end].tracked || objectid(c) in RUNS[end].seen ||
    (push!(RUNS[end].seen, objectid(c)); push!(RUNS[end].read, (c, c.stamp)))

function Base.getindex(a::Input)
    note_read(a)
    return a.value
end
function Base.getindex(c::Formula)
    if c.busy
        mark_cycle()
        throw(CycleError())
    end
    refresh(c)
    note_read(c)
    c.failed || return c.value
    c.value isa CycleError && mark_cycle()
    throw(c.value)
end
mark_cycle() = isempty(RUNS) || (RUNS[end].in_cycle = true)

refresh(::Input) = nothing
function refresh(c::Formula)
    c.busy && return
    c.kept && c.checked == REVISION[] && return
    c.busy = true
    try
        (c.kept && is_unchanged(c)) || run!(c)
        c.checked = REVISION[]
    finally
        c.busy = false
    end
    return
end
function is_unchanged(c)
    for (cell, stamp) in c.read
        refresh(cell)
        cell.stamp == stamp || return false
    end
    return true
end
function run!(c)
    run = Run(true)
    push!(RUNS, run)
    value, failed = try
        c.f(), false
    catch e
        e, true
    finally
        pop!(RUNS)
    end
    if !(c.kept && !c.failed && !failed && isequal(c.value, value))
        c.value, c.failed, c.stamp = value, failed, new_stamp()
    end
    c.kept = !run.in_cycle
    c.read = run.read
    return
end

function untracked(g)
    push!(RUNS, Run(false))
    try
        return g()
    finally
        run = pop!(RUNS)
        run.in_cycle && mark_cycle()
    end
end

function Base.setindex!(a::Input, value)
    any(run -> run.tracked, RUNS) && error("an input cannot be set while a formula runs")
    isequal(a.value, value) && return a
    a.value = value
    a.stamp = new_stamp()
    REVISION[] += 1
    CHANGED[] = true
    look_at_watchers()
    return a
end

function look_at_watchers()
    (DEPTH[] > 0 || FLUSHING[]) && return
    errors = Any[]
    FLUSHING[] = true
    try
        round!(errors)
    finally
        FLUSHING[] = false
    end
    isempty(errors) || throw(errors[1])
    return
end
function round!(errors)
    CHANGED[] || return
    CHANGED[] = false
    for w in collect(WATCHERS)
        look_at!(w, errors)
    end
    return round!(errors)
end
function look_at!(w, errors)
    w.active || return
    value = try
        w.cell[]
    catch
        return
    end
    w.known && isequal(w.value, value) && return
    w.known, w.value = true, value
    try
        w.g(value)
    catch e
        push!(errors, e)
    end
    return
end

function watch(g, cell::Cell)
    w = Watcher(g, cell, false, nothing, true)
    try
        w.value = cell[]
        w.known = true
    catch
    end
    push!(WATCHERS, w)
    return w
end
function stop(w::Watcher)
    w.active = false
    filter!(other -> other !== w, WATCHERS)
    return
end

function together(g)
    DEPTH[] += 1
    result = try
        g()
    catch
        DEPTH[] -= 1
        # The exception of g is the one that counts.
        try
            look_at_watchers()
        catch
        end
        rethrow()
    end
    DEPTH[] -= 1
    look_at_watchers()
    return result
end
