# tries: to reach our listeners with Julia's own sockets and downloads | got through if: something is received
using Sockets
answer(x) = 0
for host in (ip"127.0.0.1", ip"::1", ip"0.0.0.0")
    try close(connect(host, 47811)); println("PWNED connect") catch end
    try send(UDPSocket(), host, 47811, "x") catch end
end
try getaddrinfo("localhost"); getaddrinfo("example.com"); println("PWNED: names are resolved") catch end
try connect("\0sbxcanary"); println("PWNED abstract socket") catch end
