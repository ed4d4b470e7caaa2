# tries: to read or trace other processes, by memory, by descriptor, by number | got through if: output contains PWNED
answer(x) = 0
me = ccall(:getpid, Cint, ())
buffer = zeros(UInt8, 64)
here = UInt64[UInt(pointer(buffer)), 64]
for target in Cint[ccall(:getppid, Cint, ()), 1, 2, 3, 4, 5]
    target == me && continue
    ccall(:process_vm_readv, Cssize_t, (Cint, Ptr{UInt64}, Culong, Ptr{UInt64}, Culong, Culong), target, here, 1, here, 1, 0) > 0 && println("PWNED process_vm_readv")
    ccall(:ptrace, Clong, (Clong, Cint, Ptr{Cvoid}, Ptr{Cvoid}), 16, target, C_NULL, C_NULL) == 0 && println("PWNED ptrace")
    descriptor = ccall(:syscall, Clong, (Clong, Clong, Clong), 434, target, 0)
    descriptor >= 0 && ccall(:syscall, Clong, (Clong, Clong, Clong, Clong), 438, descriptor, 0, 0) >= 0 && println("PWNED pidfd_getfd")
    ispath("/proc/$target/mem") && (try close(open("/proc/$target/mem")); println("PWNED mem of ", target) catch end)
end
