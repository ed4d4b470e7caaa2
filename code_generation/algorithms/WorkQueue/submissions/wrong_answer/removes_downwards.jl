# Right indices, ties and copies, but the job that fills a gap only moves down.
before(queue::WorkQueue, i, j) = isless(queue.heap[i][1:2], queue.heap[j][1:2])
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
function reprioritize!(queue::WorkQueue, key, priority)
    i = queue.index[key]
    queue.heap[i] = (priority, queue.heap[i][2], key)
    sift_up!(queue, i)
    sift_down!(queue, queue.index[key])
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
