# Characters are read from the leaves, and everything else is left to what Base makes of iterate.
Base.ncodeunits(r::Rope) = bytes(r.piece)
Base.codeunit(r::Rope) = UInt8
Base.codeunit(r::Rope, i::Integer) = (checkbounds(r, i); leaf_at(r, Int(i), codeunit))
Base.isvalid(r::Rope, i::Integer) = checkbounds(Bool, r, i) && leaf_at(r, Int(i), isvalid)
Base.isvalid(r::Rope, i::Int) = checkbounds(Bool, r, i) && leaf_at(r, i, isvalid)

function leaf_at(r, i, f)
    leaf, k = locate(r.piece, i)
    return f(leaf.text, k)
end

function Base.iterate(r::Rope, i::Integer = firstindex(r))
    i == ncodeunits(r) + 1 && return nothing
    checkbounds(r, i)
    isvalid(r, i) || throw(StringIndexError(r, i))
    c = leaf_at(r, Int(i), getindex)
    return c, i + ncodeunits(c)
end

function texts(r::Rope)
    found, todo = String[], Piece[r.piece]
    while !isempty(todo)
        piece = pop!(todo)
        piece isa Leaf ? push!(found, piece.text) : append!(todo, (piece.right, piece.left))
    end
    return found
end

Base.String(r::Rope) = join(texts(r))
Base.print(io::IO, r::Rope) = foreach(text -> print(io, text), texts(r))
Base.write(io::IO, r::Rope) = sum(text -> write(io, text), texts(r))
Base.hash(r::Rope, h::UInt) = hash(String(r), h)
Base.:(==)(a::Rope, b::Rope) = ncodeunits(a) == ncodeunits(b) && String(a) == String(b)
Base.length(r::Rope) = sum(length, texts(r))

const Part = Union{AbstractString,AbstractChar}
as_rope(r::Rope) = r
as_rope(part::Part) = Rope(string(part))
Base.:*(a::Rope, more::Part...) = foldl(Rope, map(as_rope, more); init = a)
Base.:*(a::Part, b::Rope, more::Part...) = Rope(as_rope(a), b) * string(more...)
Base.:*(a::Rope, b::Rope, more::Part...) = foldl(Rope, map(as_rope, more); init = Rope(a, b))
Base.:*(a::Rope, b::Rope) = Rope(a, b)
Base.:*(a::Part, b::Rope) = Rope(as_rope(a), b)
Base.:*(a::Rope, b::Part) = Rope(a, as_rope(b))
Base.:*(a::Rope) = a
Base.convert(::Type{Rope}, s::AbstractString) = s isa Rope ? s : Rope(s)
