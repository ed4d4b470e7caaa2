# tries: to open files by handle and to build mounts, by old calls and new ones | got through if: output contains PWNED
answer(x) = 0
call(number, a, b, c = 0, d = 0, e = 0) = ccall(:syscall, Clong, (Clong, Clong, Clong, Clong, Clong, Clong), number, a, b, c, d, e)
text(s) = Clong(UInt(pointer(s)))
root, tmpfs, handle, mount_id = "/", "tmpfs", zeros(UInt32, 40), zeros(Cint, 1)
handle[1] = 128
if ccall(:name_to_handle_at, Cint, (Cint, Cstring, Ptr{UInt32}, Ptr{Cint}, Cint), -100, "/", handle, mount_id, 0) == 0
    ccall(:open_by_handle_at, Cint, (Cint, Ptr{UInt32}, Cint), -100, handle, 0) >= 0 && println("PWNED open_by_handle_at")
end
GC.@preserve root tmpfs begin
    call(430, text(tmpfs), 0) >= 0 && println("PWNED fsopen")
    call(428, -100, text(root), 1) >= 0 && println("PWNED open_tree")
    call(433, -100, text(root)) >= 0 && println("PWNED fspick")
    call(442, -100, text(root), 0, text(root), 32) == 0 && println("PWNED mount_setattr")
end
ccall(:mount, Cint, (Cstring, Cstring, Cstring, Culong, Cstring), "none", "/dev/shm", "tmpfs", 0, "") == 0 && println("PWNED mount")
ccall(:mount, Cint, (Cstring, Cstring, Cstring, Culong, Cstring), "none", "/", "", 0x1020, "") == 0 && println("PWNED remount")
ccall(:chroot, Cint, (Cstring,), "/dev") == 0 && println("PWNED chroot")
ccall(:umount2, Cint, (Cstring, Cint), "/tmp", 2) == 0 && println("PWNED umount")
