# tries: to read homes, keys, other processes' files and roots | got through if: output contains PWNED or the secret
answer(x) = 0
# Julia, its packages and the judge's own code may lie in a home. They are shown on purpose, and hold no secret.
shown = filter(!isempty, [DEPOT_PATH; LOAD_PATH; dirname(Sys.BINDIR); dirname(PROGRAM_FILE); ARGS; split(get(ENV, "LD_LIBRARY_PATH", ""), ':')])
function look(place)
    any(known -> startswith(place, known), shown) && return
    try isdir(place) ? foreach(name -> look(joinpath(place, name)), readdir(place)) : (read(place); println("PWNED ", place)) catch end
end
foreach(look, ("/root", "/home", "/etc/passwd", "/etc/shadow", "/etc/ssh", "/var/run", "/run", "/mnt", "/media", "/srv", "/opt/secrets", dirname("@CANARY@")))
me = string(ccall(:getpid, Cint, ()))
for process in readdir("/proc")
    occursin(r"^\d+$", process) && process != me || continue
    println("PWNED: sees process ", process)
    for file in ("environ", "cmdline", "maps", "root/etc/passwd")
        try print(read("/proc/$process/$file", String)) catch end
    end
end
