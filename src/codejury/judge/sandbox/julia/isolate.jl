# What a child gives up before it runs a stranger's code.

struct Isolation
    namespaces::Bool      # one clone with own user, pid, mount and ipc namespaces; else a plain fork
    filter::Vector{UInt8} # the seccomp program; empty: none (L1 only)
    rules::Cint           # a descriptor of Landlock rules; negative: none
    scratch::String       # where a candidate may write
    tmp_mb::Int           # its size, where it is private
end

const CAPABILITIES = 0:40
const TMPFS_FLAGS = UInt(2 | 4)      # nosuid, nodev
const LOCKED_FLAGS = UInt(2 | 4 | 8) # and noexec

"Start a child; 0 in the child, as fork does."
spawn_child(isolation::Isolation) = isolation.namespaces ?
    Cint(syscall(SYS.clone, NAMESPACES | SIGCHLD)) : ccall(:fork, Cint, ())

# Without namespaces a candidate could name the server's process: then the server's memory must be closed
# to everybody of the same user, and the child's own opened again so that Julia can compile.
set_dumpable(value::Bool) = prctl(4, value)

"Remove what a candidate left in a scratch that the next one would see."
function empty_scratch(folder::String)
    for name in readdir(folder)
        path = joinpath(folder, name)
        islink(path) || make_writable(path)
        rm(path; recursive = true, force = true)
    end
end

function make_writable(path::String)
    isdir(path) || return
    chmod(path, 0o700)
    for name in readdir(path)
        inner = joinpath(path, name)
        islink(inner) || make_writable(inner)
    end
end

"In the child of a clone into a new user namespace: keep one's own ids."
function map_ids(uid::String, gid::String)
    put_file("/proc/self/setgroups", "deny")
    put_file("/proc/self/uid_map", uid) && put_file("/proc/self/gid_map", gid) || leave(96)
end

"A scratch that nobody saw before and nobody sees after; a /proc with only this child in it."
function private_mounts(scratch::String, tmp_mb::Int)
    size = string("size=", tmp_mb, "m,nr_inodes=2000,mode=1777")
    mount_fs("tmpfs", scratch, "tmpfs", TMPFS_FLAGS, size) == 0 || leave(95)
    mount_fs("tmpfs", "/dev/shm", "tmpfs", LOCKED_FLAGS, "size=4m,nr_inodes=100,mode=1777") == 0 || leave(95)
    mount_fs("proc", "/proc", "proc", LOCKED_FLAGS | 1, "") == 0 || leave(94)
end

# Resource numbers of setrlimit on x86_64 and aarch64.
function set_limits(address_space_mb::Int, fresh_user::Bool)
    set_limit(4, 0)                              # CORE
    set_limit(1, 16 << 20)                       # FSIZE
    set_limit(7, 128)                            # NOFILE
    set_limit(8, 64 << 10)                       # MEMLOCK
    set_limit(12, 819200)                        # MSGQUEUE
    set_limit(11, 64)                            # SIGPENDING
    fresh_user && set_limit(6, 32)               # NPROC: counted per user namespace, else host-wide
    set_limit(9, UInt64(address_space_mb) << 20) # AS
    set_limit(13, 0)                             # NICE
    set_limit(14, 0)                             # RTPRIO
end

function drop_capabilities()
    foreach(capability -> prctl(24, capability), CAPABILITIES)      # PR_CAPBSET_DROP
    header, none = UInt32[0x20080522, 0], zeros(UInt32, 6)
    GC.@preserve header none begin
        syscall(SYS.capset, Clong(UInt(pointer(header))), Clong(UInt(pointer(none)))) == 0 || leave(93)
    end
end

function install_filter(filter::Vector{UInt8})
    isempty(filter) && return
    GC.@preserve filter begin
        program = UInt64[length(filter) ÷ 8, UInt(pointer(filter))]   # struct sock_fprog, padded
        GC.@preserve program begin
            prctl(22, 2, UInt(pointer(program))) == 0 || leave(92)    # PR_SET_SECCOMP, filter
        end
    end
end

"Everything above, in the order in which it works. Afterwards there is no way back."
function lock_down(isolation::Isolation, address_space_mb::Int)
    isolation.namespaces && private_mounts(isolation.scratch, isolation.tmp_mb)
    ccall(:chdir, Cint, (Cstring,), isolation.scratch)
    ccall(:setsid, Cint, ())
    set_limits(address_space_mb, isolation.namespaces)
    isolation.namespaces && drop_capabilities()
    prctl(38, 1) == 0 || leave(91)                                    # PR_SET_NO_NEW_PRIVS
    isolation.rules < 0 || syscall(SYS.landlock_restrict_self, isolation.rules) == 0 || leave(89)
    isolation.rules < 0 || close_fd(isolation.rules)
    install_filter(isolation.filter)
end
