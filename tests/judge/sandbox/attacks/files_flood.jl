# tries: to fill the scratch with many files, a huge one, a sparse one and a preallocated one | got through if: it holds more than 32 MB or 2000 files
answer(x) = 0
files = 0
try
    for i in 1:20_000
        touch("many$i")
        global files = i
    end
catch
end
println("FILES ", files)
foreach(i -> rm("many$i"), 1:files)
megabyte = zeros(UInt8, 1 << 20)
written = 0
for name in ("one", "two", "three", "four")
    fd = ccall(:open, Cint, (Cstring, Cint, Cuint), name, 0o102, 0o600)
    ccall(:signal, Ptr{Cvoid}, (Cint, Ptr{Cvoid}), 25, Ptr{Cvoid}(1))      # SIGXFSZ
    ccall(:ftruncate, Cint, (Cint, Clong), fd, 1 << 40)
    ccall(:posix_fallocate, Cint, (Cint, Clong, Clong), fd, 0, 1 << 32)
    while ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, megabyte, 1 << 20) == 1 << 20
        global written += 1
        written > 200 && break
    end
end
println("WROTE_MB ", written)
