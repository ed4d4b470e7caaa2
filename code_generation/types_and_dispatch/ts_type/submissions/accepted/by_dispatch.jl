# Methods on Type{<:...}, with one extra method against the ambiguity of Union{}.
ts_type(T::Type) = T isa Union ? join(parts(T), " | ") : throw(ArgumentError("cannot translate $T"))
ts_type(::Type{Any}) = "unknown"
ts_type(::Type{Union{}}) = "never"
ts_type(::Type{Bool}) = "boolean"
ts_type(::Type{T}) where {T<:Real} = T isa Union ? join(parts(T), " | ") : "number"
ts_type(::Type{T}) where {T<:Union{AbstractString, AbstractChar, Symbol}} = "string"
ts_type(::Type{T}) where {T<:Union{Missing, Nothing}} = "null"
function ts_type(::Type{T}) where {T<:AbstractVector}
    T isa Union && return join(parts(T), " | ")
    p = parts(eltype(T))
    return length(p) == 1 ? only(p) * "[]" : string("(", join(p, " | "), ")[]")
end
function ts_type(::Type{T}) where {T<:AbstractDict}
    T isa Union && return join(parts(T), " | ")
    ts_type(keytype(T)) == "string" || throw(ArgumentError("bad keys in $T"))
    return string("Record<string, ", ts_type(valtype(T)), ">")
end
function ts_type(::Type{T}) where {T<:Tuple}
    T isa Union && return join(parts(T), " | ")
    return string("[", join([ts_type(P) for P in T.parameters], ", "), "]")
end
function ts_type(::Type{T}) where {T<:NamedTuple}
    T isa Union && return join(parts(T), " | ")
    n = fieldcount(T)
    n == 0 && return "{}"
    return string("{ ", join((string(fieldname(T, i), ": ", ts_type(fieldtype(T, i))) for i in 1:n), "; "), " }")
end
parts(T) = [ts_type(T)]
function parts(T::Union)
    found = Set(vcat(parts(T.a), parts(T.b)))
    rest = sort(collect(setdiff(found, ["null"])))
    return "null" in found ? push!(rest, "null") : rest
end
