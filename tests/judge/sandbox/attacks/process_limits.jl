# tries: to raise its limits, its priority and its scheduling class | got through if: output contains PWNED
answer(x) = 0
for resource in (1, 4, 7, 8, 9, 11, 13, 14)
    limit = zeros(UInt64, 2)
    ccall(:getrlimit, Cint, (Cint, Ptr{UInt64}), resource, limit)
    ccall(:setrlimit, Cint, (Cint, Ptr{UInt64}), resource, UInt64[limit[2] + 1, limit[2] + 1]) == 0 && println("PWNED limit ", resource)
    ccall(:prlimit, Cint, (Cint, Cint, Ptr{UInt64}, Ptr{UInt64}), 0, resource, fill(typemax(UInt64), 2), C_NULL) == 0 && println("PWNED prlimit ", resource)
end
ccall(:setpriority, Cint, (Cint, Cuint, Cint), 0, 0, -10) == 0 && println("PWNED priority")
ccall(:sched_setscheduler, Cint, (Cint, Cint, Ptr{Cint}), 0, 1, Cint[1]) == 0 && println("PWNED real time")
ccall(:mlockall, Cint, (Cint,), 3) == 0 && println("PWNED mlockall")
