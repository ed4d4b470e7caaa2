# tries: an exception whose type takes for ever to write down | got through if: the judge hangs or breaks
# must not end as: timed_out, died
struct Wide{T} <: Exception end
widen(T, n) = n == 0 ? T : widen(Tuple{T,T}, n - 1)
answer(x) = throw(Wide{widen(Int, 40)}())
