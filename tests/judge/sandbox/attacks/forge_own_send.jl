# tries: to send verdicts with the judge's own functions on every descriptor | got through if: a test counts as passed
# must be flagged
answer(x) = 0
J = Core.Main.Codejury
# `send` ends the process where it cannot write.
writable(fd) = (flags = ccall(:fcntl, Cint, (Cint, Cint, Cint), fd, 3, 0); flags >= 0 && flags & 3 == 1)
for fd in filter(writable, 3:63)
    channel = J.Channel(fd, "a key it cannot know")
    J.send(channel, ["main", "passed", "", "", "0", "0.1", "1", "1"])
    foreach(i -> J.send(channel, ["block", "unit_test", string(i), "passed", "", "", "0", "0.1"]), 0:2)
    J.send(channel, ["done"])
end
