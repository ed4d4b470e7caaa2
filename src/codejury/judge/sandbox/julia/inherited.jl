# Kernel objects that survive a fork and would be shared with the server and with every later child.
#
# - Julia writes machine code through an open fd on /proc/self/mem; in a forked child that fd still
#   points into the parent. Until it is reopened, nothing may be compiled.
# - epoll sets, eventfds and libuv's own pipes are shared: one candidate could poison them for all
#   later ones. Each child gets new ones under the old numbers.

struct PipePair
    reader::Cint
    writer::Cint
    flags::Cint
    token::Bool          # libuv's signal lock: a pipe that holds one byte while it is free
end

struct Watched            # one entry of an epoll set
    fd::Cint
    events::UInt32
    data::UInt64
end

struct EventPoll
    fd::Cint
    watched::Vector{Watched}
end

struct Inherited
    memory::Vector{Cint}     # fds on /proc/self/mem
    outputs::Vector{Cint}    # Julia's own copies of stdout and stderr
    inputs::Vector{Cint}     # and of stdin
    pipes::Vector{PipePair}
    events::Vector{Cint}     # eventfds
    polls::Vector{EventPoll}
end

fd_links() = Dict(parse(Cint, f) => (try readlink("/proc/self/fd/" * f) catch; "" end) for f in readdir("/proc/self/fd"))

"Look at every open descriptor but the standard ones and our `own`, once, before the first fork."
function find_inherited(own::Vector{Cint})
    links = fd_links()
    standard = [get(links, Cint(n), "?") for n in 0:2]
    others = sort!([fd for fd in keys(links) if fd > 2 && !(fd in own)])
    matching(test) = Cint[fd for fd in others if test(links[fd])]
    memory = matching(l -> endswith(l, "/mem"))
    inputs = matching(==(standard[1]))
    outputs = Cint[fd for fd in matching(l -> l == standard[2] || l == standard[3]) if !(fd in inputs)]
    polls = [EventPoll(fd, watched_by(fd)) for fd in matching(==("anon_inode:[eventpoll]"))]
    return Inherited(memory, outputs, inputs, find_pipes(links, others), matching(==("anon_inode:[eventfd]")), polls)
end

function watched_by(fd::Cint)
    entry = r"tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)\s+data:\s*([0-9a-f]+)"
    info = read("/proc/self/fdinfo/$fd", String)
    return [Watched(parse(Cint, m[1]), parse(UInt32, m[2], base = 16), parse(UInt64, m[3], base = 16))
            for m in eachmatch(entry, info)]
end

"Pipes with both ends in this process, that is, libuv's own."
function find_pipes(links, fds)
    ends = Dict{String,Vector{Cint}}()
    for fd in fds
        startswith(links[fd], "pipe:") && push!(get!(ends, links[fd], Cint[]), fd)
    end
    pairs = PipePair[]
    for both in values(ends)
        length(both) == 2 || continue
        flags = [fcntl(fd, 3, 0) for fd in both]                      # F_GETFL
        reader, writer = (flags[1] & 3) == 0 ? (both[1], both[2]) : (both[2], both[1])
        waiting = Ref{Cint}(0)
        ccall(:ioctl, Cint, (Cint, Culong, Ptr{Cint}), reader, 0x541B, waiting)   # FIONREAD
        push!(pairs, PipePair(reader, writer, (flags[1] & O_NONBLOCK) | O_CLOEXEC, waiting[] == 1))
    end
    return pairs
end

"""
Would a child write its machine code into memory that the server sees too? Julia does so through a file in
memory, mapped as shared, where it could not open /proc/self/mem. A compiler that needs neither is no obstacle.
"""
function shares_compiled_code(inherited::Inherited)
    isempty(inherited.memory) || return false
    access(line) = split(line)[2]
    return any(line -> endswith(access(line), "s") && occursin(r"[wx]", access(line)), readlines("/proc/self/maps"))
end

"First thing in a child: give the compiler its own memory back. Nothing may be compiled before."
function reopen_memory(inherited::Inherited)
    for fd in inherited.memory
        own = open_fd("/proc/self/mem", O_RDWR | O_CLOEXEC)
        own < 0 && leave(97)
        replace_fd(own, fd)
        close_fd(own)
    end
end

"Replace every shared kernel object by a new one of the same kind under the same number."
function renew_shared(inherited::Inherited)
    ends = zeros(Cint, 2)
    for pipe in inherited.pipes
        ccall(:pipe2, Cint, (Ptr{Cint}, Cint), ends, pipe.flags)
        pipe.token && ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), ends[2], UInt8[42], 1)
        move_fd(ends[1], pipe.reader)
        move_fd(ends[2], pipe.writer)
    end
    for fd in inherited.events
        move_fd(ccall(:eventfd, Cint, (Cuint, Cint), 0, O_CLOEXEC | O_NONBLOCK), fd)
    end
    for poll in inherited.polls
        move_fd(ccall(:epoll_create1, Cint, (Cint,), O_CLOEXEC), poll.fd)
        foreach(entry -> watch(poll.fd, entry), poll.watched)
    end
end

move_fd(from, to) = (replace_fd(from, to); close_fd(from))

function watch(poll::Cint, entry::Watched)
    # struct epoll_event is packed on x86_64 and aligned elsewhere
    event = Sys.ARCH === :x86_64 ?
        UInt32[entry.events, entry.data % UInt32, (entry.data >> 32) % UInt32] :
        UInt32[entry.events, 0, entry.data % UInt32, (entry.data >> 32) % UInt32]
    ccall(:epoll_ctl, Cint, (Cint, Cint, Cint, Ptr{UInt32}), poll, 1, entry.fd, event)
end

"stdin empty; stdout and stderr, and Julia's private copies of them, on `output`."
function connect_streams(inherited::Inherited, output::Cint)
    null = open_fd("/dev/null", O_RDONLY | O_CLOEXEC)
    replace_fd(null, Cint(0); cloexec = false)
    foreach(fd -> replace_fd(null, fd), inherited.inputs)
    replace_fd(output, Cint(1); cloexec = false)
    replace_fd(output, Cint(2); cloexec = false)
    foreach(fd -> replace_fd(output, fd), inherited.outputs)
    close_fd(null)
    close_fd(output)
end

# The streams Julia started with: a candidate may redirect `stdout`, its lost bytes are its own.
# With --color=no a stream may be wrapped in an IOContext.
bare(stream) = stream isa IOContext ? stream.io : stream
const FIRST_STREAMS = IOStream[]

"Bytes that Julia still holds would be lost with `_exit`."
function flush_streams()
    for stream in FIRST_STREAMS
        ccall(:ios_flush, Cint, (Ptr{Cvoid},), stream.ios)
    end
end
