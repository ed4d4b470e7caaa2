# tries: to hold shared memory whose pages it hands back from its table, so that they are not resident | got through if: it holds 272 MB under a limit of 256
answer(x) = 0
held = 0
zero = ccall(:open, Cint, (Cstring, Cint), "/dev/zero", 2)
for i in 1:50, (kind, fd) in ((0x21, Cint(-1)), (0x01, zero))          # shared and anonymous; shared, of /dev/zero
    p = ccall(:mmap, Ptr{UInt8}, (Ptr{Cvoid}, Csize_t, Cint, Cint, Cint, Clong), C_NULL, 8 << 20, 3, kind, fd, 0)
    p == Ptr{UInt8}(-1 % UInt) && break
    ccall(:memset, Ptr{Cvoid}, (Ptr{UInt8}, Cint, Csize_t), p, 1, 8 << 20)
    ccall(:madvise, Cint, (Ptr{UInt8}, Csize_t, Cint), p, 8 << 20, 4)   # MADV_DONTNEED
    global held += 8
    held == 272 && (sleep(0.2); println("HELD ", held))
end
