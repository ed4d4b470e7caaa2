# tries: every way to start a process | got through if: output contains PWNED
answer(x) = 0
tell(way) = (println("PWNED ", way); flush(stdout))
number(x86, arm) = Sys.ARCH === :aarch64 ? arm : x86
# In functions of their own: a forked child must be gone before anything is compiled in it.
leave_if_child(pid) = pid == 0 ? ccall(:_exit, Cvoid, (Cint,), 0) : nothing
by_fork() = (pid = ccall(:fork, Cint, ()); leave_if_child(pid); pid)
by_clone(call) = (pid = ccall(:syscall, Clong, (Clong, Clong, Clong, Clong, Clong, Clong), call, 17, 0, 0, 0, 0); leave_if_child(pid); pid)
by_clone3(arguments) = (pid = ccall(:syscall, Clong, (Clong, Ptr{UInt64}, Clong), 435, arguments, 88); leave_if_child(pid); pid)
leave_if_child(1)
by_fork() > 0 && tell("fork")
by_clone(number(56, 220)) > 0 && tell("clone")
by_clone3(UInt64[0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0]) > 0 && tell("clone3")
program = first(filter(isfile, [joinpath(Sys.BINDIR, "julia"), "/proc/self/exe"]))
child, words = zeros(Cint, 1), Ptr{UInt8}[pointer(program), C_NULL]
ccall(:posix_spawn, Cint, (Ptr{Cint}, Cstring, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Ptr{UInt8}}, Ptr{Ptr{UInt8}}), child, program, C_NULL, C_NULL, words, Ptr{UInt8}[C_NULL]) == 0 && tell("posix_spawn")
ccall(:system, Cint, (Cstring,), "exit 7") >> 8 == 7 && tell("system")
for command in (`$program --version`, `ls`, detach(`sleep 30`))
    try run(command; wait = false); tell("run") catch end
end
ccall(:execv, Cint, (Cstring, Ptr{Ptr{UInt8}}), program, words)            # does not return where it works
