# Peeks as Base does, by a mark, which replaces that of the user.
mutable struct NewlineReader{S<:IO} <: IO
    source::S
    buffer::Vector{UInt8}   # what has been taken from the source and is kept, for the mark or because it was peeked at
    next::Int               # of the buffer, what is read next
    start::Int              # the position of the first byte of the buffer
    mark::Int               # the position that is marked, or -1
    after_return::Bool      # whether the last byte from the source was a `\r`, so that a `\n` has to be dropped
end

NewlineReader(source::IO) = NewlineReader(source, UInt8[], 1, 0, -1, false)

# Takes the next byte from the source into the buffer, unless it is a `\n` that belongs to a `\r`. Whether it did.
function take_byte!(r::NewlineReader)
    byte = read(r.source, UInt8)
    dropped = r.after_return && byte == UInt8('\n')
    r.after_return = byte == UInt8('\r')
    dropped || push!(r.buffer, r.after_return ? UInt8('\n') : byte)
    return !dropped
end

waiting(r::NewlineReader) = r.next <= length(r.buffer)

function Base.eof(r::NewlineReader)
    while !waiting(r)
        eof(r.source) && return true
        take_byte!(r)
    end
    return false
end

function Base.read(r::NewlineReader, ::Type{UInt8})
    waiting(r) || take_byte!(r) || take_byte!(r)
    byte = r.buffer[r.next]
    r.next += 1
    forget!(r)
    return byte
end

# Drops what has been read and cannot be read again.
function forget!(r::NewlineReader)
    r.mark < 0 && !waiting(r) || return
    r.start += length(r.buffer)
    empty!(r.buffer)
    r.next = 1
    return
end

Base.position(r::NewlineReader) = r.start + r.next - 1

Base.mark(r::NewlineReader) = (r.mark = position(r))
Base.ismarked(r::NewlineReader) = r.mark >= 0
function Base.unmark(r::NewlineReader)
    was_marked = ismarked(r)
    r.mark = -1
    return was_marked
end
function Base.reset(r::NewlineReader)
    ismarked(r) || throw(ArgumentError("the reader is not marked"))
    r.next = r.mark - r.start + 1
    r.mark = -1
    return position(r)
end

Base.peek(r::NewlineReader) = peek(r, UInt8)
function Base.peek(r::NewlineReader, ::Type{T}) where {T}
    mark, at = r.mark, position(r)
    mark < 0 && (r.mark = at)
    try
        return read(r, T)
    finally
        r.next = at - r.start + 1
        r.mark = -1
    end
end

function Base.skip(r::NewlineReader, n::Integer)
    n >= 0 || throw(ArgumentError("cannot skip $n bytes"))
    foreach(_ -> read(r, UInt8), 1:n)
    return r
end

# The one of Base goes back by a character, with `skip`.
function Base.skipchars(predicate, r::NewlineReader; linecomment = nothing)
    while !eof(r)
        char = peek(r, Char)
        if char === linecomment
            readline(r)
        elseif predicate(char)
            read(r, Char)
        else
            break
        end
    end
    return r
end

Base.readavailable(r::NewlineReader) = eof(r) ? UInt8[] : read(r, length(r.buffer) - r.next + 1)
function Base.write(to::IO, r::NewlineReader)
    n = 0
    while !eof(r)
        n += write(to, read(r, UInt8))
    end
    return n
end

Base.isreadable(::NewlineReader) = true
Base.iswritable(::NewlineReader) = false
Base.isopen(r::NewlineReader) = isopen(r.source)
Base.close(r::NewlineReader) = close(r.source)
