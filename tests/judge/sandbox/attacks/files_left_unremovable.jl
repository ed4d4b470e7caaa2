# tries: to leave folders that are hard to remove: deep, closed, with odd names, with links to our file | got through if: the canary is missing, the worker breaks, or a later candidate sees them
answer(x) = 0
top = pwd()
mkdir("deep")
cd("deep")
for depth in 1:300
    mkdir("d"^20)
    cd("d"^20)
end
cd(top)
mkdir("closed")
write("closed/inner", "x")
symlink(dirname("@CANARY@"), "closed/link")
symlink("@CANARY@", "dangling")
symlink("loop", "loop")
ccall(:mkfifo, Cint, (Cstring, Cuint), "fifo", 0o600)
for name in ("a\nb", "-rf", "\xff\xfe", " ", "*")
    touch(name)
end
chmod("closed", 0o000)
chmod(top, 0o000)
