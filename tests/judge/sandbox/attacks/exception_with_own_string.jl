# tries: exceptions of Julia's own whose text is a string type that never ends | got through if: the judge hangs or breaks
# must not end as: timed_out, died
struct Endless <: AbstractString end
Base.ncodeunits(::Endless) = typemax(Int)
Base.iterate(::Endless, i::Int = 1) = ('x', i + 1)
Base.codeunit(::Endless) = UInt8
Base.isvalid(::Endless, i::Int) = true
answer(x) = throw(x == 3 ? ErrorException(Endless()) : x == 4 ? ArgumentError(Endless()) : DomainError(Endless(), Endless()))
