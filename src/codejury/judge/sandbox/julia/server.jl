# The fork server. Announce, serve, one child per job; the parent never reads a job, so that its memory,
# which every later child inherits, holds nothing of any candidate.
#
#   control socket         <- settings, once; then per job "G", memory in MB, and four descriptors:
#                             the job (a memory file), the verdict pipe, the output pipe, the pipe of orders
#                          <- "K": end the running child
#                          <- "C", between jobs: compact your memory; "T": rehearse the toolbox first
#                          -> ready, then one "ended" list per job, one "compacted" per "C" or "T"

const POLL_MS = Cint(20)

struct Settings
    control::Cint
    isolation::Isolation
    rehearse::Bool
    fork::Bool                   # false: judge in this process, for measuring what a fork costs
    packages::Vector{String}
end

function read_settings(control::Cint)
    size = zeros(UInt8, 4)
    read_exactly!(control, size)
    bytes = Vector{UInt8}(undef, get32(size, 1))
    read_exactly!(control, bytes)
    items = decode(bytes)
    isolation = Isolation(items[1] == "1", Vector{UInt8}(codeunits(items[2])), parse(Cint, items[8]), items[3], parse(Int, items[4]))
    return Settings(control, isolation, items[5] == "1", items[6] == "1", decode(items[7]))
end

function read_exactly!(control::Cint, bytes::Vector{UInt8})
    done = 0
    while done < length(bytes)
        n = GC.@preserve bytes ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), control, pointer(bytes) + done, length(bytes) - done)
        n <= 0 && leave(0)     # the supervisor is gone
        done += n
    end
end

function reply(control::Cint, items::Vector{String})
    list = encode(items)
    bytes = UInt8[]
    put32!(bytes, length(list))
    append!(bytes, list)
    write_all(control, bytes) || leave(0)
end

function main(arguments::Vector{String})
    control = parse(Cint, arguments[2])
    fcntl(control, 2, 1)                                          # close on exec
    settings = read_settings(control)
    preload(settings.packages)
    arguments[1] == "referee" && return Base.invokelatest(referee, settings)
    settings.rehearse && warm_up(settings.packages)
    watchlist = Watchlist()
    rehearsal = arguments[1] == "measure" ? rehearse_measuring : rehearse
    settings.rehearse && Base.invokelatest(rehearsal, watchlist)    # latest: compiled only where it is called
    # From here on the judge's world is fixed; what was compiled above stays compiled.
    Base.invokelatest(arguments[1] == "once" ? run_once : serve, settings, watchlist)
end

"Load packages that definitions import, where they are installed, so that no child has to."
function preload(packages::Vector{String})
    for name in packages
        is_available(Symbol(first(split(name, '.')))) && attempt(() -> Core.eval(Main, Meta.parse("import " * name)))
    end
end

"Have packages compiled once, instead of by every child: by code that the suite's authors wrote for that."
function warm_up(packages::Vector{String})
    file = joinpath(first(LOAD_PATH), "warmup.jl")
    isfile(file) && any(!is_standard, packages) && attempt(() -> Base.include(Module(:WarmUp), file))
end

is_standard(name::String) = (top = first(split(name, '.')); top in ("Base", "Core") || isdir(joinpath(Sys.STDLIB, top)))

# ---- one job per fork

function serve(settings::Settings, watchlist::Watchlist)
    control = settings.control
    inherited = find_inherited([control, settings.isolation.rules])
    rehearse_fork(inherited)
    modules = fresh_modules()
    flush_streams()
    baseline, address_space = own_size_kb()
    uid, gid = id_map(ccall(:getuid, Cuint, ())), id_map(ccall(:getgid, Cuint, ()))
    settings.isolation.namespaces || set_dumpable(false)
    reply(control, ["ready", string(VERSION), string(baseline), shares_compiled_code(inherited) ? "0" : "1"])
    order, size, fds = UInt8[0], zeros(UInt8, 4), zeros(Cint, 4)
    while true
        receive!(control, order, fds) == 1 || leave(0)
        order[1] == UInt8('K') && continue       # it crossed the end of its child
        if order[1] in (UInt8('C'), UInt8('T'))
            order[1] == UInt8('T') && rehearse_toolbox()
            compact_memory()
            baseline, address_space = own_size_kb()
            reply(control, ["compacted"])
            continue
        end
        order[1] == UInt8('G') || leave(0)
        read_exactly!(control, size)
        memory_mb = get32(size, 1)
        if settings.fork
            limit_mb = address_space ÷ 1024 + memory_mb + max(256, memory_mb ÷ 2)
            pid = spawn_child(settings.isolation)
            pid == 0 && run_child(settings, inherited, uid, gid, fds, limit_mb, watchlist, modules)
            foreach(close_fd, fds)
            ended = pid < 0 ? ["unborn", string(Libc.errno())] : watch_over(control, pid, baseline + 1024memory_mb, address_space + 1024memory_mb)
            settings.isolation.namespaces || sweep_up(settings, inherited)
            reply(control, ended)
        else
            run_here(fds, watchlist)
            reply(control, ["ended", "0", "0", "0", "0", ""])
        end
    end
end

own_size_kb() = statm_kb("/proc/self/statm", 2), statm_kb("/proc/self/statm", 1)

const HUGE_PAGE = UInt(2 << 20)
const MADV_COLLAPSE = Cint(25)

"""
Make this process cheap to fork: a fork copies the table of all private pages, the child's end takes it
down again, and most of a fork's time goes there. Free what is free, and let the kernel merge what remains
into huge pages (Linux 6.1 and later; where it refuses, nothing is lost).
"""
function compact_memory()
    GC.gc()
    ccall(:malloc_trim, Cint, (Csize_t,), 0)
    for line in readlines("/proc/self/maps")
        range, access, _, _, inode = split(line)[1:5]
        access == "rw-p" || continue
        first_byte, last_byte = parse.(UInt, split(range, '-'), base = 16)
        last_byte - first_byte > HUGE_PAGE || continue
        inode == "0" || detach_from_file(first_byte, last_byte - first_byte)
        for start in cld(first_byte, HUGE_PAGE)*HUGE_PAGE:HUGE_PAGE:last_byte-HUGE_PAGE
            ccall(:madvise, Cint, (Ptr{Cvoid}, Csize_t, Cint), Ptr{Cvoid}(start), HUGE_PAGE, MADV_COLLAPSE)
        end
    end
end

"""
Put memory of nobody's file in place of a private mapping of one, with the same contents: only such memory
is merged. It is the data of Julia's system image, a hundred megabytes that Julia has written over anyway.
"""
function detach_from_file(start::UInt, size::UInt)
    copy = ccall(:mmap, UInt, (UInt, Csize_t, Cint, Cint, Cint, Int), 0, size, 3, 0x22, -1, 0)  # private, anonymous
    copy == typemax(UInt) && return
    # Nothing may write to the mapping between these two.
    ccall(:memcpy, UInt, (UInt, UInt, Csize_t), copy, start, size)
    moved = ccall(:mremap, UInt, (UInt, Csize_t, Csize_t, Cint, UInt), copy, size, size, 3, start)  # fixed
    moved == start || ccall(:munmap, Cint, (UInt, Csize_t), copy, size)
    return
end

id_map(id) = string(Int(id), " ", Int(id), " 1\n")

"A child's whole life. Nothing may be compiled before the first line has run."
function run_child(settings::Settings, inherited::Inherited, uid::String, gid::String, fds::Vector{Cint}, limit_mb::Int, watchlist::Watchlist, modules::Modules)
    settings.isolation.namespaces || set_dumpable(true)
    reopen_memory(inherited)
    settings.isolation.namespaces && map_ids(uid, gid)
    renew_shared(inherited)
    close_fd(settings.control)
    job, channel = take_job(fds)
    connect_streams(inherited, fds[3])
    lock_down(settings.isolation, limit_mb)
    judge(channel, fds[4], job, watchlist, modules)
    leave(0)
end

"Empty a shared scratch in a child of our own, so that no hostile tree is ever walked by the server."
function sweep_up(settings::Settings, inherited::Inherited)
    pid = ccall(:fork, Cint, ())
    if pid == 0
        set_dumpable(true)
        reopen_memory(inherited)
        err = attempt(() -> foreach(empty_scratch, unique([settings.isolation.scratch, "/dev/shm"])))
        leave(err === nothing ? 0 : 1)
    end
    status, _, _ = reap(pid)
    status == 0 || leave(1)      # the supervisor starts a clean server
end

"Read and close the job's descriptor: from here on it exists only as values of this process."
function take_job(fds::Vector{Cint})
    items = decode(read_all(fds[1]))
    close_fd(fds[1])
    return read_job(items[2:end]), Channel(fds[2], items[1])
end

function run_here(fds::Vector{Cint}, watchlist::Watchlist)
    job, channel = take_job(fds)
    judge(channel, fds[4], job, watchlist)
    foreach(close_fd, fds[2:4])
end

"""
Wait for a child and keep it within its memory. Reports its wait status, peak memory in KB, processor
time in ms, how long it stood in line for a processor in ms, and why it was killed, if it was.
"""
function watch_over(control::Cint, pid::Cint, most_kb::Int, most_addresses_kb::Int)
    pidfd = Cint(syscall(SYS.pidfd_open, pid))
    schedstat = string("/proc/", pid, "/schedstat")
    reason, waited_ms = "", 0
    polled = Int32[pidfd, 1, control, 1]             # two struct pollfd: fd, events and results
    while true
        polled[2], polled[4] = 1, 1                  # POLLIN; clears the results
        ccall(:poll, Cint, (Ptr{Int32}, Culong, Cint), polled, 2, POLL_MS)
        polled[2] >> 16 != 0 && break
        if reason == "" && polled[4] >> 16 != 0
            take_kill_order(control)
            reason = "ordered"
        elseif reason == "" && held_kb(pid, most_addresses_kb) > most_kb
            reason = "memory"
        end
        if reason != ""
            waited_ms = max(waited_ms, number_at(small_file(schedstat), 2) ÷ 1_000_000)
            kill_process(pid)
            polled[3] = -1
        end
    end
    status, peak_kb, cpu_ms = reap(pid)
    close_fd(pidfd)
    return ["ended", string(status), string(peak_kb), string(cpu_ms), string(waited_ms), reason]
end

function take_kill_order(control::Cint)
    order = UInt8[0]
    read_exactly!(control, order)
    order[1] == UInt8('K') || leave(0)
end

# ---- one job in this process

"Judge the only job this process will ever see; isolation by namespaces is the supervisor's here."
function run_once(settings::Settings, watchlist::Watchlist)
    message, fds = Vector{UInt8}(undef, 5), zeros(Cint, 4)
    reply(settings.control, ["ready", string(VERSION), string(statm_kb("/proc/self/statm", 2)), "1"])
    receive!(settings.control, message, fds) == 5 || leave(0)
    inherited = find_inherited([settings.control; settings.isolation.rules; fds])
    address_space_mb = statm_kb("/proc/self/statm", 1) ÷ 1024
    memory_mb = get32(message, 2)
    job, channel = take_job(fds)
    connect_streams(inherited, fds[3])
    close_fd(settings.control)
    given = settings.isolation
    without_namespaces = Isolation(false, given.filter, given.rules, given.scratch, given.tmp_mb)
    lock_down(without_namespaces, address_space_mb + memory_mb + max(256, memory_mb ÷ 2))
    judge(channel, fds[4], job, watchlist)
    leave(0)
end
