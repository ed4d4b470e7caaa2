# Takes the next element from the source together with the one asked for.
# The elements are a linked list: each reader holds the place where it stands, so what is before all of them is garbage.
# The last cell of the list is empty until it is asked for.
mutable struct Cell
    filled::Bool
    value::Any
    next::Union{Cell, Nothing}
    Cell() = new(false, nothing, nothing)
end

mutable struct Source{S}
    items::S
    state::Any         # a tuple with the state of the iteration, empty at the beginning; nothing: it has ended
end

mutable struct Reader{S}
    source::Source{S}
    place::Cell
end

function tee(source, n::Integer)
    n >= 0 || throw(ArgumentError("the number of readers must not be negative, got $n"))
    shared, start = Source(source, ()), Cell()
    return Tuple(Reader(shared, start) for _ in 1:n)
end

Base.IteratorSize(::Type{<:Reader}) = Base.SizeUnknown()
Base.eltype(::Type{Reader{S}}) where {S} = eltype(S)

function Base.iterate(reader::Reader, _ = nothing)
    cell = reader.place
    cell.filled || fill_cell!(cell, reader.source) || return nothing
    reader.place = cell.next
    cell.next.filled || fill_cell!(cell.next, reader.source)
    return cell.value, nothing
end

function fill_cell!(cell, source)
    source.state === nothing && return false
    state, source.state = source.state, nothing
    step = iterate(source.items, state...)
    step === nothing && return false
    source.state = (step[2],)
    cell.value, cell.next, cell.filled = step[1], Cell(), true
    return true
end
