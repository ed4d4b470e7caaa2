# tries: to reach our file by links and by swapping a link under a name in use | got through if: the canary is changed, or output contains the secret
answer(x) = 0
canary, folder = "@CANARY@", dirname("@CANARY@")
for way in (canary, "/proc/self/root" * canary, "/proc/1/root" * canary, "/proc/self/cwd/../../../.." * canary, "/tmp/../" * canary)
    try print(read(way, String)) catch end
    try write(way, "changed") catch end
end
symlink(folder, "folder")
symlink(canary, "link")
ccall(:link, Cint, (Cstring, Cstring), canary, "hard")
for round in 1:200
    try rm("swapped") catch end
    try isodd(round) ? symlink(folder, "swapped") : mkdir("swapped") catch end
    try write("swapped/canary.txt", "changed") catch end
end
for name in ("folder/canary.txt", "link", "hard")
    try print(read(name, String)) catch end
    try write(name, "changed") catch end
end
