# tries: exceptions and collections that contain themselves | got through if: the judge hangs or breaks
# must not end as: timed_out, died
mutable struct Ring <: Exception
    msg::Any
end
function answer(x)
    ring, items, table = Ring(nothing), Any[], Dict{Any,Any}()
    ring.msg = ring
    push!(items, items, ring)
    table[:self] = table
    x == 3 && throw(ring)
    x == 4 && throw(KeyError(items))
    return table
end
