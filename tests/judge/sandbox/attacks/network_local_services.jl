# tries: to find services by their sockets in the file system | got through if: output contains PWNED
answer(x) = 0
for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/user/1000/bus", "/tmp/.X11-unix/X0", "/dev/log")
    place = UInt8[1, 0, codeunits(path)..., 0]
    s = ccall(:socket, Cint, (Cint, Cint, Cint), 1, 1, 0)
    ccall(:connect, Cint, (Cint, Ptr{UInt8}, Cuint), s, place, length(place)) == 0 && println("PWNED ", path)
end
