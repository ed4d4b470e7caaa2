# tries: to print by every road, with escapes, invalid UTF-8, NULs and half a character at the end | got through if: the judge breaks, or the output is not capped
# must not end as: timed_out, died
answer(x) = 0
bytes = UInt8[0x1b, 0x5b, 0x32, 0x4a, 0xff, 0xfe, 0x00, 0xed, 0xa0, 0x80, 0x0d, 0x08, 0x0a]
write(stdout, bytes)
write(stderr, bytes)
ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), 1, bytes, length(bytes))
ccall(:puts, Cint, (Cstring,), "\u202e\u2066 Z\u0334\u0334\u0334")
ccall(:printf, Cint, (Cstring,), "%")
Core.println("x")
print(Core.stderr, String(bytes))
write(stdout, UInt8[0xe2, 0x82])
