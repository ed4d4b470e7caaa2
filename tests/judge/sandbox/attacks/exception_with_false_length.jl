# tries: indices, keys and arguments whose length and iteration lie | got through if: the judge hangs or breaks
# must not end as: timed_out, died
struct Bottomless <: AbstractVector{Int} end
Base.size(::Bottomless) = (typemax(Int),)
Base.length(::Bottomless) = -1
Base.getindex(::Bottomless, i::Int) = i
Base.iterate(::Bottomless, state = 1) = (state, state + 1)
answer(x) = throw(x == 3 ? BoundsError(Bottomless(), Bottomless()) : x == 4 ? KeyError(Bottomless()) : MethodError(Bottomless(), (Bottomless(),)))
