# tries: to print 100 MB on one line in a test | got through if: the judge keeps it, or a later test is lost
answer(x) = (x == 4 && print("x"^(100 << 20)); 0)
