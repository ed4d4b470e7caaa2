# Restores the old values in the order of the changes, so that a key that changed twice gets a value in between.
struct Gone end
note!(store::Store, key) = (in_transaction(store) && push!(store.levels[end].undo, (key, get(store.data, key, Gone()))); nothing)
Base.setindex!(store::Store, value, key) = (note!(store, key); store.data[key] = value; store)
Base.delete!(store::Store, key) = (note!(store, key); delete!(store.data, key); store)
Base.empty!(store::Store) = (foreach(k -> delete!(store, k), keys(store)); store)
rollback(store::Store) = in_transaction(store) ? throw(Rollback()) : error("no transaction")
function undo!(store::Store, level::Level)
    for (key, old) in level.undo
        old isa Gone ? delete!(store.data, key) : (store.data[key] = old)
    end
end
function transaction(f, store::Store)
    push!(store.levels, Level())
    result = try
        f()
    catch exception
        undo!(store, pop!(store.levels))
        exception isa Rollback || rethrow()
        return nothing
    end
    level = pop!(store.levels)
    if in_transaction(store)
        append!(store.levels[end].undo, level.undo)
        append!(store.levels[end].hooks, level.hooks)
    else
        foreach(hook -> hook(), level.hooks)
    end
    return result
end
