# tries: to start threads without end, and to let one of them end the process in a later test | got through if: there are more than 32, or a test counts as passed
started, id = 0, zeros(UInt, 1)
for i in 1:500
    ccall(:pthread_create, Cint, (Ptr{UInt}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), id, C_NULL, cglobal(:pause), C_NULL) == 0 || break
    global started = i
end
println("THREADS ", started)
function answer(x)
    x == 10 && ccall(:_exit, Cvoid, (Cint,), 0)
    return 0
end
