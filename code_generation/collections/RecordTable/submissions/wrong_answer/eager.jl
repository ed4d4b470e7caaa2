# Makes everything when the table is made: later records are not seen, and all rows are looked at.
struct RecordTable
    names::Vector{Symbol}
    all::Vector{Any}
end
function RecordTable(records::Vector)
    names = reduce(union, [sort(collect(keys(r))) for r in records]; init = Symbol[])
    return RecordTable(names, [NamedTuple{Tuple(names)}(Tuple(get(r, n, missing) for n in names)) for r in records])
end
struct Where
    names::Vector{Symbol}
    all::Vector{Any}
end
Where(condition::Function, table) = Where(column_names(table), collect(Any, filter(r -> coalesce(condition(r), false), to_rows(table))))
provides(::Union{RecordTable,Where}) = Rows()
column_names(t::Union{RecordTable,Where}) = t.names
rows(::Rows, t) = t.all
column(::Rows, t, name::Symbol) = name in t.names ? [r[name] for r in t.all] : throw(ArgumentError("no column"))
