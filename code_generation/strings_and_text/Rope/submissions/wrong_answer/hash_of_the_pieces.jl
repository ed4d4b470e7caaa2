# The hash is that of the pieces.
Base.ncodeunits(r::Rope) = bytes(r.piece)
Base.codeunit(::Rope) = UInt8

function Base.codeunit(r::Rope, i::Int)
    1 <= i <= ncodeunits(r) || throw(BoundsError(r, i))
    leaf, at = locate(r.piece, i)
    return codeunit(leaf.text, at)
end

function Base.isvalid(r::Rope, i::Int)
    1 <= i <= ncodeunits(r) || return false
    leaf, at = locate(r.piece, i)
    return isvalid(leaf.text, at)
end

function Base.iterate(r::Rope, i::Int = 1)
    i > ncodeunits(r) && return nothing
    i >= 1 || throw(BoundsError(r, i))
    leaf, at = locate(r.piece, i)
    c, after = iterate(leaf.text, at)
    return c, i + (after - at)
end

# The bytes one after another; the joins that are open are kept in a list, not on the stack.
function each_leaf(f, r::Rope)
    open = Piece[r.piece]
    while !isempty(open)
        p = pop!(open)
        if p isa Join
            push!(open, p.right, p.left)
        else
            f(p.text)
        end
    end
    return nothing
end

function Base.write(io::IO, r::Rope)
    each_leaf(text -> write(io, text), r)
    return ncodeunits(r)
end
Base.print(io::IO, r::Rope) = (write(io, r); nothing)
Base.String(r::Rope) = sprint(print, r)

function Base.length(r::Rope)
    n = 0
    each_leaf(text -> n += length(text), r)
    return n
end

Base.:(==)(a::Rope, b::Rope) = String(a) == String(b)
Base.hash(r::Rope, h::UInt) = hash(r.piece, h)
Base.cmp(a::Rope, b::Rope) = cmp(String(a), String(b))

# Joining by * keeps the pieces; nothing is copied.
Base.:*(a::Rope, b::Rope) = Rope(a, b)
Base.:*(a::Rope, b::Union{AbstractString,AbstractChar}) = Rope(a, Rope(string(b)))
Base.:*(a::Union{AbstractString,AbstractChar}, b::Rope) = Rope(Rope(string(a)), b)
Base.:*(a::Rope, b::Union{AbstractString,AbstractChar}, rest::Union{AbstractString,AbstractChar}...) = foldl(*, (b, rest...); init = a)
Base.one(::Type{Rope}) = Rope("")
Base.convert(::Type{Rope}, s::AbstractString) = Rope(s)
Base.convert(::Type{Rope}, r::Rope) = r
