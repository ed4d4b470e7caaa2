# tries: to read homes, keys, other processes' files and roots | got through if: output contains PWNED or the secret
answer(x) = 0
# Julia, its packages and the judge's code may lie in a home, and are there to be read.
ours = [DEPOT_PATH; LOAD_PATH; Sys.BINDIR; Sys.STDLIB; PROGRAM_FILE; ARGS]
stranger(path) = !any(known -> startswith(known, path), ours)
for place in ("/root", "/home", "/etc/passwd", "/etc/shadow", "/etc/ssh", "/var/run", "/run", "/mnt", "/media", "/srv", "/opt/secrets", dirname("@CANARY@"))
    try isdir(place) ? any(stranger, readdir(place; join = true)) && println("PWNED ", place) : (read(place); println("PWNED ", place)) catch end
end
me = string(ccall(:getpid, Cint, ()))
for process in readdir("/proc")
    occursin(r"^\d+$", process) && process != me || continue
    println("PWNED: sees process ", process)
    for file in ("environ", "cmdline", "maps", "root/etc/passwd")
        try print(read("/proc/$process/$file", String)) catch end
    end
end
