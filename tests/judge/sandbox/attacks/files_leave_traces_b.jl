# tries: to find what files_leave_traces_a left | got through if: output contains FOUND
answer(x) = 0
for folder in unique(["/tmp", "/dev/shm", "/var/tmp", "/run", "/", homedir(), tempdir(), pwd(), DEPOT_PATH..., Sys.BINDIR])
    ispath(joinpath(folder, "left-behind")) && println("FOUND a file in ", folder)
    ispath(joinpath(folder, "left-behind.d")) && println("FOUND a folder in ", folder)
end
haskey(ENV, "LEFT_BEHIND") && println("FOUND a variable")
"/left-behind" in LOAD_PATH && println("FOUND a load path")
any(m -> isdefined(m, :left_behind), (Main, Base, Core.Main.Codejury)) && println("FOUND a definition")
ccall(:mq_open, Cint, (Cstring, Cint), "/left-behind", 0) >= 0 && println("FOUND a message queue")
isempty(readdir(pwd())) || println("FOUND ", readdir(pwd()))
ccall(:umask, Cuint, (Cuint,), 0o022) == 0o777 && println("FOUND a mask")
