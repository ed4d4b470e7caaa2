# tries: to change the system: programs, Julia, devices, kernel settings | got through if: output contains PWNED
answer(x) = 0
places = ["/etc", "/usr", "/usr/lib", "/bin", "/var", "/root", "/home", "/sys", "/dev", "/proc", Sys.BINDIR, Sys.STDLIB, dirname(pathof(Test)), @__DIR__]
for place in places
    isdir(place) && place != pwd() || continue
    try write(joinpath(place, "changed"), "x"); println("PWNED ", place) catch end
end
# Opened, never written: this must do no harm where it works.
for file in ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/dev/mem", "/dev/kmsg", "/dev/sda", "/sys/power/state", "/proc/1/oom_score_adj_of_others")
    fd = ccall(:open, Cint, (Cstring, Cint), file, 1)
    fd >= 0 && println("PWNED ", file)
end
for (kind, number) in ((0o020600, 0x101), (0o060600, 0x800))               # /dev/mem, the first disk
    ccall(:mknodat, Cint, (Cint, Cstring, Cuint, Culong), -100, "node", kind, number) == 0 && println("PWNED mknod")
end
