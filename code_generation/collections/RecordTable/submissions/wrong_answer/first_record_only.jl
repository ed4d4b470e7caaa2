# Takes the columns from the first record.
struct RecordTable
    records::Vector{Dict{Symbol,Any}}
end
provides(::RecordTable) = Rows()
column_names(t::RecordTable) = isempty(t.records) ? Symbol[] : sort(collect(keys(t.records[1])))
rows(::Rows, t::RecordTable) = (names = Tuple(column_names(t)); (NamedTuple{names}(map(n -> get(r, n, missing), names)) for r in t.records))
struct Where{F,T}
    condition::F
    table::T
end
provides(::Where) = Rows()
column_names(t::Where) = column_names(t.table)
rows(::Rows, t::Where) = Iterators.filter(r -> coalesce(t.condition(r), false), rows(t.table))
function column(::Rows, t, name::Symbol)
    name in column_names(t) || throw(ArgumentError("no column"))
    return [r[name] for r in rows(t)]
end
