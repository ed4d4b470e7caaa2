# Each level keeps a snapshot of the whole dictionary; the old values are not noted one by one.
const SNAPSHOTS = IdDict{Level,Dict{String,Any}}()

note!(store::Store, key) = nothing

Base.empty!(store::Store) = (empty!(store.data); store)

function rename!(store::Store, old, new)
    value = pop!(store.data, old)
    store.data[new] = value
    return store
end

function rollback(store::Store)
    isempty(store.levels) && error("no transaction")
    throw(Rollback())
end

function transaction(f, store::Store)
    level = Level()
    SNAPSHOTS[level] = copy(store.data)
    push!(store.levels, level)
    result = nothing
    try
        result = f()
    catch exception
        empty!(store.data)
        merge!(store.data, SNAPSHOTS[level])
        pop!(store.levels)
        exception isa Rollback && return nothing
        rethrow()
    finally
        delete!(SNAPSHOTS, level)
    end
    pop!(store.levels)
    isempty(store.levels) || (append!(store.levels[end].hooks, level.hooks); return result)
    trouble = Any[]
    for hook in level.hooks
        try
            hook()
        catch e
            push!(trouble, e)
        end
    end
    isempty(trouble) || throw(trouble[1])
    return result
end
