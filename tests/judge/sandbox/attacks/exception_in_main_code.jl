# tries: the same in the main code, where the judge looks for syntax errors | got through if: the judge hangs or breaks
# must not end as: timed_out, died
struct Mute <: AbstractString end
answer(x) = 0
throw(ErrorException(Mute()))
