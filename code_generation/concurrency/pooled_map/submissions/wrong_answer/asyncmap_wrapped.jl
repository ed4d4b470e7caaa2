# Leaves it all to asyncmap: the exception is that of the first worker, not of the first item.
function pooled_map(f, items, workers::Integer)
    workers >= 1 || throw(ArgumentError("at least one worker is needed, got $workers"))
    return collect(Any, asyncmap(f, collect(items); ntasks = Int(workers)))
end
