# tries: to stop, trace or kill itself at the judge's feet | got through if: no verdict, or a test counts as passed
function answer(x)
    me = ccall(:getpid, Cint, ())
    x == 3 && ccall(:kill, Cint, (Cint, Cint), me, 9)
    x == 4 && ccall(:abort, Cvoid, ())
    x == 10 && unsafe_store!(Ptr{Int}(8), 1)
    return 0
end
