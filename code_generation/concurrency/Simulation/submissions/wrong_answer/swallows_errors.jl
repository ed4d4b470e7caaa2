# An error ends only its process.
mutable struct Process
    task::Union{Task, Nothing}
    joined::Vector{Process}          # those that wait for this one
    outcome::Union{Function, Nothing}   # returns or throws what the process did; nothing: not over
end

mutable struct Simulation
    clock::Float64
    queue::Vector{Tuple{Float64, Process}}     # in the order in which they are due
    current::Union{Process, Nothing}
    runner::Union{Task, Nothing}
end

Simulation() = Simulation(0.0, [], nothing, nothing)
now(sim::Simulation) = sim.clock

function schedule!(sim, process, at)
    i = findlast(event -> first(event) <= at, sim.queue)
    insert!(sim.queue, something(i, 0) + 1, (at, process))
end

function spawn!(f, sim::Simulation; at = now(sim))
    at >= now(sim) || throw(ArgumentError("cannot start at $at: it is $(now(sim)) already"))
    process = Process(nothing, [], nothing)
    process.task = Task() do
        process.outcome = outcome_of(f)
        foreach(other -> schedule!(sim, other, now(sim)), process.joined)
        yieldto(sim.runner)
    end
    schedule!(sim, process, at)
    return process
end

outcome_of(f) =
    try
        value = f()
        () -> value
    catch exception
        () -> throw(exception)
    end

# Gives control back to run!, until the process is due again.
pause(sim) = yieldto(sim.runner)

function hold(sim::Simulation, seconds)
    seconds >= 0 || throw(ArgumentError("cannot hold for $seconds seconds"))
    schedule!(sim, sim.current, now(sim) + seconds)
    pause(sim)
    return nothing
end

function join!(sim::Simulation, process::Process)
    if process.outcome === nothing
        push!(process.joined, sim.current)
        pause(sim)
    end
    return process.outcome()
end

function run!(sim::Simulation; until = Inf)
    while !isempty(sim.queue) && first(sim.queue[1]) <= until
        sim.clock, process = popfirst!(sim.queue)
        sim.current, sim.runner = process, current_task()
        yieldto(process.task)

    end
    isempty(sim.queue) || (sim.clock = until)
    return now(sim)
end
