# tries: to reach our listeners by every address that could mean this machine | got through if: something is received
answer(x) = 0
port = 47811
address(a, b, c, d) = UInt8[2, 0, port >> 8, port & 0xff, a, b, c, d, zeros(UInt8, 8)...]
for place in (address(127, 0, 0, 1), address(0, 0, 0, 0), address(127, 0, 1, 1), address(10, 0, 2, 2), address(172, 17, 0, 1), address(192, 168, 1, 1))
    for kind in (1, 2)
        s = ccall(:socket, Cint, (Cint, Cint, Cint), 2, kind | 0o4000, 0)
        s < 0 && continue
        ccall(:connect, Cint, (Cint, Ptr{UInt8}, Cuint), s, place, 16) == 0 && kind == 1 && println("PWNED connect")
        ccall(:sendto, Cssize_t, (Cint, Ptr{UInt8}, Csize_t, Cint, Ptr{UInt8}, Cuint), s, "x", 1, 0x4000, place, 16)
        ccall(:close, Cint, (Cint,), s)
    end
end
name = codeunits("\0sbxcanary")
for kind in (1, 2, 5)
    s = ccall(:socket, Cint, (Cint, Cint, Cint), 1, kind, 0)
    place = UInt8[1, 0, name...]
    ccall(:connect, Cint, (Cint, Ptr{UInt8}, Cuint), s, place, length(place)) == 0 && println("PWNED abstract socket")
end
