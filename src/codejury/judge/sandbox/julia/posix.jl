# System calls. Numbers differ by architecture, layouts are those of Linux on 64-bit machines.

const SYS = Sys.ARCH === :aarch64 ?
    (clone = 220, pidfd_open = 434, capset = 91, landlock_restrict_self = 446) :
    (clone = 56, pidfd_open = 434, capset = 126, landlock_restrict_self = 446)

const SIGCHLD = 17
const SIGKILL = Cint(9)
const CLONE_NEWNS = 0x00020000
const CLONE_NEWIPC = 0x08000000
const CLONE_NEWUSER = 0x10000000
const CLONE_NEWPID = 0x20000000
const NAMESPACES = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID

const O_RDONLY = Cint(0)
const O_WRONLY = Cint(1)
const O_RDWR = Cint(2)
const O_NONBLOCK = Cint(0o4000)
const O_CLOEXEC = Cint(0o2000000)

syscall(number, a = 0, b = 0, c = 0, d = 0, e = 0) =
    ccall(:syscall, Clong, (Clong, Clong, Clong, Clong, Clong, Clong), number, a, b, c, d, e)

leave(code) = ccall(:_exit, Cvoid, (Cint,), code)
close_fd(fd) = ccall(:close, Cint, (Cint,), fd)
open_fd(path, flags) = ccall(:open, Cint, (Cstring, Cint), path, flags)
# dup3 keeps close-on-exec where the original had it; dup2 would drop it.
replace_fd(from, to; cloexec = true) =
    ccall(:dup3, Cint, (Cint, Cint, Cint), from, to, cloexec ? O_CLOEXEC : Cint(0))
fcntl(fd, command, argument) = ccall(:fcntl, Cint, (Cint, Cint, Cint), fd, command, argument)
prctl(option, a = 0, b = 0, c = 0, d = 0) =
    ccall(:prctl, Cint, (Cint, Culong, Culong, Culong, Culong), option, a, b, c, d)
kill_process(pid) = ccall(:kill, Cint, (Cint, Cint), pid, SIGKILL)
mount_fs(source, target, type, flags, data) =
    ccall(:mount, Cint, (Cstring, Cstring, Cstring, Culong, Cstring), source, target, type, flags, data)

"Write `text` to an existing file in one call; false if it did not take it."
function put_file(path::String, text::String)
    fd = open_fd(path, O_WRONLY)
    fd < 0 && return false
    written = ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, text, sizeof(text))
    close_fd(fd)
    return written == sizeof(text)
end

function set_limit(resource, value)
    pair = UInt64[value, value]
    return ccall(:setrlimit, Cint, (Cint, Ptr{UInt64}), resource, pair)
end

# The scratch of `small_file`: made once, so that polling allocates nothing.
const SMALL = Vector{UInt8}(undef, 512)

"Read the start of a small file into `SMALL`; its length, or -1."
function small_file(path::String)
    fd = open_fd(path, O_RDONLY | O_CLOEXEC)
    fd < 0 && return -1
    n = ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, SMALL, length(SMALL))
    close_fd(fd)
    return Int(n)
end

"The k-th number of the first line in `SMALL`: \"12 345 6\", 2 -> 345; -1 if there is none."
function number_at(n::Int, k::Int)
    value, seen, inside = 0, 0, false
    for i in 1:n
        byte = SMALL[i]
        if 0x30 <= byte <= 0x39
            inside || (seen += 1; value = 0)
            inside = true
            value = 10value + (byte - 0x30)
        else
            inside && seen == k && return value
            inside = false
        end
    end
    return inside && seen == k ? value : -1
end

const PAGE_KB = Int(ccall(:getpagesize, Cint, ())) ÷ 1024
statm_kb(path::String, k::Int) = (n = number_at(small_file(path), k); n < 0 ? -1 : n * PAGE_KB)

"""
Memory that a process holds, in KB: what is resident, and shared memory that is not, since a process can hand
its view of such pages back and keep them. It is looked for only in a process whose addresses could hold it.
"""
function held_kb(pid, most_addresses_kb::Int)
    folder = string("/proc/", pid)
    resident = statm_kb(string(folder, "/statm"), 2)
    statm_kb(string(folder, "/statm"), 1) > most_addresses_kb || return resident
    shared = attempt_or(0, () -> shared_kb(readlines(string(folder, "/maps"))))
    seen = attempt_or(0, () -> resident_shared_kb(readlines(string(folder, "/status"))))
    return resident + max(0, shared - seen)
end

attempt_or(otherwise, f) = try f() catch; otherwise end

# 7f0000000000-7f0000800000 rw-s 00000000 00:01 1035 /dev/zero (deleted)
function shared_kb(maps::Vector{String})
    total = 0
    for line in maps
        occursin("s ", line) && occursin("/dev/zero", line) || continue
        low, high = split(first(split(line)), '-')
        total += (parse(Int, high, base = 16) - parse(Int, low, base = 16)) ÷ 1024
    end
    return total
end

resident_shared_kb(status::Vector{String}) =
    sum(parse(Int, split(line)[2]) for line in status if startswith(line, "RssShmem:"))

"Wait for a process to end; its wait status, peak memory in KB and processor time in ms."
function reap(pid)
    status = Ref{Cint}(0)
    usage = zeros(Int64, 18)   # struct rusage: two timevals, then maxrss
    ccall(:wait4, Cint, (Cint, Ptr{Cint}, Cint, Ptr{Int64}), pid, status, 0, usage)
    cpu_ms = 1000 * (usage[1] + usage[3]) + (usage[2] + usage[4]) ÷ 1000
    return Int(status[]), Int(usage[5]), Int(cpu_ms)
end

"""
    receive!(socket, bytes, fds) -> count

One message of at most `length(bytes)` bytes with up to `length(fds)` descriptors passed along
(SCM_RIGHTS), written into `fds`; -1s where there were fewer. 0 means the other side is gone.
"""
function receive!(socket, bytes::Vector{UInt8}, fds::Vector{Cint})
    control = zeros(UInt64, 2 + cld(length(fds), 2))     # cmsghdr: length, level and type, then the fds
    GC.@preserve bytes control begin
        vector = UInt64[UInt(pointer(bytes)), length(bytes)]
        GC.@preserve vector begin
            header = UInt64[0, 0, UInt(pointer(vector)), 1, UInt(pointer(control)), sizeof(control), 0]
            count = ccall(:recvmsg, Cssize_t, (Cint, Ptr{UInt64}, Cint), socket, header, 0x40000000) # CLOEXEC
        end
    end
    fill!(fds, Cint(-1))
    passed = count > 0 && control[1] > 16 ? (Int(control[1]) - 16) ÷ 4 : 0
    numbers = reinterpret(Cint, control)
    for i in 1:min(passed, length(fds))
        fds[i] = numbers[4 + i]
    end
    return Int(count)
end
