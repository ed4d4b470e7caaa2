# A changed priority is done by removing and adding, which makes the job the last one of its priority.
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
function remove!(queue::WorkQueue, key)
    i = queue.index[key]
    priority = queue.heap[i][1]
    swap!(queue, i, length(queue))
    pop!(queue.heap)
    delete!(queue.index, key)
    i <= length(queue) && (sift_up!(queue, i); sift_down!(queue, i))
    return priority
end
reprioritize!(queue::WorkQueue, key, priority) = (remove!(queue, key); enqueue!(queue, key, priority))
Base.copy(queue::WorkQueue{K,P}) where {K,P} = WorkQueue{K,P}(copy(queue.heap), copy(queue.index), queue.arrivals)
