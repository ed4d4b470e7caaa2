# Columns are of type Any, and a condition that is missing throws.
struct RecordTable
    records::Vector
end
provides(::RecordTable) = Rows()
column_names(t::RecordTable) = reduce(union, [sort(collect(keys(r))) for r in t.records]; init = Symbol[])
rows(::Rows, t::RecordTable) = (names = Tuple(column_names(t)); (NamedTuple{names}(map(n -> get(r, n, missing), names)) for r in t.records))
struct Where
    condition
    table
end
provides(::Where) = Rows()
column_names(t::Where) = column_names(t.table)
rows(::Rows, t::Where) = Iterators.filter(t.condition, rows(t.table))
column(::Rows, t, name::Symbol) = name in column_names(t) ? Any[r[name] for r in rows(t)] : throw(ArgumentError("no column"))
