# Types with iterators of their own instead of generators; columns are made by pushing.
mutable struct RecordTable
    records::Any
end

provides(::RecordTable) = Rows()

function column_names(t::RecordTable)
    names = Symbol[]
    for r in t.records, k in sort!(collect(keys(r)))
        k in names || push!(names, k)
    end
    return names
end

struct RowsOf
    table::RecordTable
    names::Vector{Symbol}
end
Base.IteratorEltype(::Type{RowsOf}) = Base.EltypeUnknown()
Base.length(r::RowsOf) = length(r.table.records)
function Base.iterate(r::RowsOf, i = 1)
    i > length(r) && return nothing
    record = r.table.records[i]
    return (; (n => (haskey(record, n) ? record[n] : missing) for n in r.names)...), i + 1
end
rows(::Rows, t::RecordTable) = RowsOf(t, column_names(t))

struct Where
    condition::Any
    table::Any
end
provides(::Where) = Rows()
column_names(t::Where) = column_names(t.table)

struct Fitting
    condition::Any
    source::Any
end
Base.IteratorSize(::Type{Fitting}) = Base.SizeUnknown()
Base.IteratorEltype(::Type{Fitting}) = Base.EltypeUnknown()
function Base.iterate(f::Fitting, state...)
    step = iterate(f.source, state...)
    while step !== nothing
        f.condition(step[1]) === true && return step
        step = iterate(f.source, step[2])
    end
    return nothing
end
rows(::Rows, t::Where) = Fitting(t.condition, rows(t.table))

function column(::Rows, t, name::Symbol)
    any(isequal(name), column_names(t)) || throw(ArgumentError("no column $name"))
    values = Any[]
    for row in rows(t)
        push!(values, getproperty(row, name))
    end
    return map(identity, values)
end
