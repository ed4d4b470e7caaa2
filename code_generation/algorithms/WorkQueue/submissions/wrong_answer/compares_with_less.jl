# Compares priorities with < and ==, as before; NaN and missing have no place then.
function swap!(queue::WorkQueue, i, j)
    queue.heap[i], queue.heap[j] = queue.heap[j], queue.heap[i]
    queue.index[queue.heap[i][3]] = i
    queue.index[queue.heap[j][3]] = j
end
function enqueue!(queue::WorkQueue, key, priority)
    haskey(queue, key) && throw(ArgumentError("twice"))
    queue.arrivals += 1
    push!(queue.heap, (priority, queue.arrivals, key))
    queue.index[key] = length(queue)
    sift_up!(queue, length(queue))
    return queue
end
function settle!(queue, i)
    key = queue.heap[i][3]
    sift_up!(queue, i)
    sift_down!(queue, queue.index[key])
end
function remove!(queue::WorkQueue, key)
    i = queue.index[key]
    priority = queue.heap[i][1]
    swap!(queue, i, length(queue))
    pop!(queue.heap)
    delete!(queue.index, key)
    i <= length(queue) && settle!(queue, i)
    return priority
end
function reprioritize!(queue::WorkQueue, key, priority)
    i = queue.index[key]
    queue.heap[i] = (priority, queue.heap[i][2], key)
    settle!(queue, i)
    return queue
end
Base.copy(queue::WorkQueue{K,P}) where {K,P} = WorkQueue{K,P}(copy(queue.heap), copy(queue.index), queue.arrivals)
function absorb!(queue::WorkQueue, other::WorkQueue)
    any(k -> haskey(queue, k), keys(other.index)) && throw(ArgumentError("both"))
    foreach(j -> enqueue!(queue, j[3], j[1]), sort(other.heap; by = j -> j[2]))
    empty!(other.heap)
    empty!(other.index)
    return queue
end
