# Moves a hole through the heap instead of swapping, with one function that places a job.
earlier(a, b) = isless(a[1], b[1]) ? true : isless(b[1], a[1]) ? false : a[2] < b[2]

function place!(queue::WorkQueue, i, job)
    heap = queue.heap
    while i > 1 && earlier(job, heap[i >> 1])
        heap[i] = heap[i >> 1]
        queue.index[heap[i][3]] = i
        i >>= 1
    end
    while true
        children = filter(c -> c <= length(heap), [2i, 2i + 1])
        isempty(children) && break
        child = length(children) == 2 && earlier(heap[2i + 1], heap[2i]) ? 2i + 1 : 2i
        earlier(heap[child], job) || break
        heap[i] = heap[child]
        queue.index[heap[i][3]] = i
        i = child
    end
    heap[i] = job
    queue.index[job[3]] = i
    return queue
end

function enqueue!(queue::WorkQueue, key, priority)
    key in keys(queue.index) && throw(ArgumentError("twice"))
    job = (priority, queue.arrivals += 1, key)
    push!(queue.heap, job)
    return place!(queue, length(queue.heap), job)
end

function remove!(queue::WorkQueue, key)
    i = pop!(queue.index, key)
    priority = queue.heap[i][1]
    moved = pop!(queue.heap)
    i > length(queue.heap) || place!(queue, i, moved)
    return priority
end

reprioritize!(queue::WorkQueue, key, priority) =
    (i = queue.index[key]; place!(queue, i, (priority, queue.heap[i][2], key)))

Base.copy(queue::WorkQueue) = deepcopy(queue)

function absorb!(queue::WorkQueue, other::WorkQueue)
    isempty(intersect(keys(queue.index), keys(other.index))) || throw(ArgumentError("both"))
    jobs = sort(collect(other.heap); by = j -> j[2])
    foreach(j -> enqueue!(queue, j[3], j[1]), jobs)
    empty!(other.heap)
    empty!(other.index)
    return queue
end
