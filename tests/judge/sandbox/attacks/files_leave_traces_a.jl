# tries: to leave something for the next candidate wherever it can | got through if: files_leave_traces_b finds it
answer(x) = 0
for folder in unique(["/tmp", "/dev/shm", "/var/tmp", "/run", "/", homedir(), tempdir(), pwd(), DEPOT_PATH..., Sys.BINDIR])
    try write(joinpath(folder, "left-behind"), "x") catch end
    try mkpath(joinpath(folder, "left-behind.d", "deeper")) catch end
end
ENV["LEFT_BEHIND"] = "1"
push!(LOAD_PATH, "/left-behind")
Core.eval(Main, :(left_behind = 1))
Core.eval(Base, :(left_behind() = 1))
Core.eval(Core.Main.Codejury, :(left_behind = 1))
ccall(:mq_open, Cint, (Cstring, Cint, Cuint, Ptr{Cvoid}), "/left-behind", 0o102, 0o666, C_NULL)
ccall(:umask, Cuint, (Cuint,), 0o777)
cd("/")
