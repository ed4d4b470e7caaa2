# tries: calls that hide memory or open much of the kernel: memfd, SysV, userfaultfd, io_uring, keys, bpf, perf | got through if: output contains PWNED
answer(x) = 0
call(number, a = 0, b = 0, c = 0, d = 0, e = 0) = ccall(:syscall, Clong, (Clong, Clong, Clong, Clong, Clong, Clong), number, a, b, c, d, e)
number(x86, arm) = Sys.ARCH === :aarch64 ? arm : x86
ring, event, text = zeros(UInt8, 120), zeros(UInt8, 128), "user"
address(x) = Clong(UInt(pointer(x)))
GC.@preserve ring event text begin
    for (name, result) in (
        ("memfd_create", ccall(:memfd_create, Cint, (Cstring, Cuint), "x", 0)),
        ("memfd_secret", call(447)),
        ("shmget", ccall(:shmget, Cint, (Cint, Csize_t, Cint), 0, 4096, 0o1600)),
        ("msgget", ccall(:msgget, Cint, (Cint, Cint), 0, 0o1600)),
        ("semget", ccall(:semget, Cint, (Cint, Cint, Cint), 0, 1, 0o1600)),
        ("userfaultfd", call(number(323, 282), 1)),
        ("io_uring_setup", call(425, 4, address(ring))),
        ("perf_event_open", call(number(298, 241), address(event), 0, -1, -1)),
        ("bpf", call(number(321, 280), 0, address(event), 72)),
        ("keyctl", call(number(250, 219), 0, -3, 1)),
        ("add_key", call(number(248, 217), address(text), address(text), address(text), 1, -4)),
        ("fanotify_init", ccall(:fanotify_init, Cint, (Cuint, Cuint), 0, 0)),
        ("syslog", ccall(:klogctl, Cint, (Cint, Ptr{UInt8}, Cint), 3, event, 100)),
    )
        result >= 0 && println("PWNED ", name)
    end
end
