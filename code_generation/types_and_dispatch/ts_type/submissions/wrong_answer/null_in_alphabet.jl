# Sorts null among the others.
function ts_type(T::Type)
    T === Union{} && return "never"
    T === Any && return "unknown"
    T isa Union && return ts_union(T)
    T <: Union{Missing, Nothing} && return "null"
    T <: Bool && return "boolean"
    T <: Real && return "number"
    T <: Union{AbstractString, AbstractChar, Symbol} && return "string"
    T <: AbstractVector && return ts_array(eltype(T))
    T <: AbstractDict && return ts_record(keytype(T), valtype(T))
    T <: Tuple && return "[" * join(map(ts_type, fieldtypes(T)), ", ") * "]"
    T <: NamedTuple && return ts_object(fieldnames(T), fieldtypes(T))
    throw(ArgumentError("no TypeScript type for $T"))
end

ts_members(T::Type) = sort!(unique!(map(ts_type, Base.uniontypes(T))))

ts_union(T::Type) = join(ts_members(T), " | ")

function ts_array(T::Type)
    several = length(ts_members(T)) > 1
    return several ? "($(ts_type(T)))[]" : "$(ts_type(T))[]"
end

function ts_record(K::Type, V::Type)
    ts_type(K) == "string" || throw(ArgumentError("the keys of a record are strings, not $K"))
    return "Record<string, $(ts_type(V))>"
end

function ts_object(names, types)
    isempty(names) && return "{}"
    fields = ["$name: $(ts_type(T))" for (name, T) in zip(names, types)]
    return "{ " * join(fields, "; ") * " }"
end
