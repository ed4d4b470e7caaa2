# tries: an exception type whose name is a line of a report with escapes | got through if: a test counts as passed
# must not end as: timed_out, died
@eval struct $(Symbol("passed\n\e[2J\runit_test")) <: Exception end
Core.eval(@__MODULE__, :(answer(x) = throw($(Symbol("passed\n\e[2J\runit_test"))())))
