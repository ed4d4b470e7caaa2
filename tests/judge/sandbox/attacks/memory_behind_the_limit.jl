# tries: to hold memory that is not its own: in pipes, in socket buffers, in the scratch | got through if: the worker does not survive
answer(x) = 0
megabyte, ends = zeros(UInt8, 1 << 20), zeros(Cint, 2)
while ccall(:pipe2, Cint, (Ptr{Cint}, Cint), ends, 0o4000) == 0
    ccall(:fcntl, Cint, (Cint, Cint, Cint), ends[2], 1031, 1 << 20)         # F_SETPIPE_SZ
    ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), ends[2], megabyte, 1 << 20)
end
for folder in ("/tmp", "/dev/shm"), i in 1:100
    try write("$folder/full$i", megabyte) catch end
end
