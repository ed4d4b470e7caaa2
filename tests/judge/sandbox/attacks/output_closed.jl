# tries: to close, redirect and break every stream | got through if: the judge breaks
# must not end as: timed_out, died
answer(x) = (println("after"); 0)
println("before")
close(stdout)
redirect_stderr()
redirect_stdout(open("/dev/null", "w"))
finalize(stdout)
