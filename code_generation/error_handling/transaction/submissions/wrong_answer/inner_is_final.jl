# Notes and restores properly, but what an inner transaction did is forgotten when it succeeds.
struct Gone end
note!(store::Store, key) = (in_transaction(store) && push!(store.levels[end].undo, (key, get(store.data, key, Gone()))); nothing)
Base.setindex!(store::Store, value, key) = (note!(store, key); store.data[key] = value; store)
Base.delete!(store::Store, key) = (note!(store, key); delete!(store.data, key); store)
Base.empty!(store::Store) = (foreach(k -> delete!(store, k), keys(store)); store)
rollback(store::Store) = in_transaction(store) ? throw(Rollback()) : error("no transaction")
function undo!(store::Store, level::Level)
    for (key, old) in reverse(level.undo)
        old isa Gone ? delete!(store.data, key) : (store.data[key] = old)
    end
end
function transaction(f, store::Store)
    push!(store.levels, Level())
    try
        result = f()
        level = pop!(store.levels)
        foreach(hook -> hook(), level.hooks)
        return result
    catch exception
        isempty(store.levels) || undo!(store, pop!(store.levels))
        exception isa Rollback || rethrow()
        return nothing
    end
end
