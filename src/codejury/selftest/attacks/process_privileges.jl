# tries: to become root, gain capabilities, enter or make namespaces | got through if: output contains PWNED
answer(x) = 0
for (name, result) in (
    ("setuid", ccall(:setuid, Cint, (Cuint,), 0)),
    ("setgid", ccall(:setgid, Cint, (Cuint,), 0)),
    ("setresuid", ccall(:setresuid, Cint, (Cuint, Cuint, Cuint), 0, 0, 0)),
    ("setgroups", ccall(:setgroups, Cint, (Csize_t, Ptr{Cuint}), 1, Cuint[0])),
    ("unshare user", ccall(:unshare, Cint, (Cint,), 0x10000000)),
    ("unshare net", ccall(:unshare, Cint, (Cint,), 0x40000000)),
    ("unshare mount", ccall(:unshare, Cint, (Cint,), 0x00020000)),
    ("ambient", ccall(:prctl, Cint, (Cint, Culong, Culong, Culong, Culong), 47, 2, 21, 0, 0)),
    ("securebits", ccall(:prctl, Cint, (Cint, Culong, Culong, Culong, Culong), 28, 1, 0, 0, 0)),
    ("new privileges", ccall(:prctl, Cint, (Cint, Culong, Culong, Culong, Culong), 38, 0, 0, 0, 0)),
)
    result == 0 && println("PWNED ", name)
end
header, sets = UInt32[0x20080522, 0], fill(typemax(UInt32), 6)
ccall(:capset, Cint, (Ptr{UInt32}, Ptr{UInt32}), header, sets) == 0 && println("PWNED capset")
for kind in ("user", "mnt", "net", "pid", "ipc", "uts")
    descriptor = ccall(:open, Cint, (Cstring, Cint), "/proc/1/ns/$kind", 0)
    descriptor >= 0 && ccall(:setns, Cint, (Cint, Cint), descriptor, 0) == 0 && println("PWNED setns ", kind)
end
try write("/proc/self/uid_map", "0 0 1\n"); println("PWNED uid_map") catch end
