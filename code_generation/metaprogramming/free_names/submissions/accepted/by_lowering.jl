# Has Julia lower the function, and collects the globals that are left in the lowered code.
function free_names(ex)
    place = Module(:Nowhere)
    lowered = Meta.lower(place, :(function free_names_of_this(); $ex; end))
    found = Set{Symbol}()
    globals!(found, lowered.args[1], place)
    return sort!(filter(is_ordinary, collect(found)))
end

is_ordinary(name) =
    !(name in (:free_names_of_this, :true, :false)) && !Base.isoperator(name) && !occursin('#', String(name))

globals!(found, other, place) = nothing
globals!(found, name::Symbol, place) = push!(found, name)
globals!(found, ref::GlobalRef, place) = ref.mod === place && push!(found, ref.name)
globals!(found, code::Core.CodeInfo, place) = foreach(line -> globals!(found, line, place), code.code)
function globals!(found, ex::Expr, place)
    ex.head in (:meta, :inbounds) && return nothing
    parts = ex.head == :method ? ex.args[2:end] : ex.args
    foreach(part -> globals!(found, part, place), parts)
    return nothing
end
if isdefined(Core, :ReturnNode)
    globals!(found, node::Core.ReturnNode, place) = isdefined(node, :val) && globals!(found, node.val, place)
end
if isdefined(Core, :GotoIfNot)
    globals!(found, node::Core.GotoIfNot, place) = globals!(found, node.cond, place)
end
