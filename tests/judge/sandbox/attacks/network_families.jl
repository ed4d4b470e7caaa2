# tries: a socket of every family but UNIX and the internet's, and raw ones of those | got through if: output contains PWNED
answer(x) = 0
for family in 0:50, kind in (1, 2, 3, 5)
    family in (1, 2, 10) && kind != 3 && continue
    family == 1 && continue
    ccall(:socket, Cint, (Cint, Cint, Cint), family, kind, family in (2, 10) ? 1 : 0) >= 0 && println("PWNED family ", family, " kind ", kind)
end
