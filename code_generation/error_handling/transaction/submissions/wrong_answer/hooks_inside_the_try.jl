# Levels are handed over, but hooks run where an exception of theirs undoes or is taken for a rollback, and the first one ends all.
struct Gone end
note!(store::Store, key) = (in_transaction(store) && push!(store.levels[end].undo, (key, get(store.data, key, Gone()))); nothing)
Base.setindex!(store::Store, value, key) = (note!(store, key); store.data[key] = value; store)
Base.delete!(store::Store, key) = (note!(store, key); delete!(store.data, key); store)
Base.empty!(store::Store) = (foreach(k -> delete!(store, k), keys(store)); store)
rollback(store::Store) = throw(Rollback())
function undo!(store::Store, level::Level)
    for (key, old) in reverse(level.undo)
        old isa Gone ? delete!(store.data, key) : (store.data[key] = old)
    end
end
function transaction(f, store::Store)
    level = Level()
    push!(store.levels, level)
    try
        result = f()
        pop!(store.levels)
        if in_transaction(store)
            append!(store.levels[end].undo, level.undo)
            append!(store.levels[end].hooks, level.hooks)
        else
            foreach(hook -> hook(), level.hooks)
        end
        return result
    catch exception
        undo!(store, level)
        !isempty(store.levels) && store.levels[end] === level && pop!(store.levels)
        exception isa Rollback || rethrow()
        return nothing
    end
end
