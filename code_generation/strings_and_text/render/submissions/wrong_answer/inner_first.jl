# A broken group breaks all groups in it.
abstract type Doc end
struct Text <: Doc
    s::String
end
struct Newline <: Doc
    flat::Union{String, Nothing}     # nothing: cannot be flat
end
struct Seq <: Doc
    parts::Vector{Doc}
end
struct Nest <: Doc
    n::Int
    doc::Doc
end
struct Group <: Doc
    doc::Doc
end

text(s::AbstractString) = Text(s)
line() = Newline(" ")
softline() = Newline("")
hardline() = Newline(nothing)
seq(docs...) = Seq(collect(Doc, docs))
nest(n::Integer, doc) = Nest(n, doc)
group(doc) = Group(doc)

function render(doc, width::Integer)
    out = IOBuffer()
    column, indent = 0, 0       # `indent`: spaces that are due before the next text of the line
    todo = Any[(0, false, doc)]
    while !isempty(todo)
        n, flat, doc = pop!(todo)
        if doc isa Text
            isempty(doc.s) || print(out, ' '^indent, doc.s)
            column += length(doc.s)
            isempty(doc.s) || (indent = 0)
        elseif doc isa Newline && flat
            push!(todo, (n, flat, Text(doc.flat)))
        elseif doc isa Newline
            print(out, '\n')
            column = indent = n
        elseif doc isa Group
            push!(todo, (n, flat || !any(x -> x[3] isa Newline, todo) && fits(doc.doc, todo, width - column), doc.doc))
        else
            push_parts!(todo, n, flat, doc)
        end
    end
    return String(take!(out))
end

push_parts!(todo, n, flat, doc::Nest) = push!(todo, (n + doc.n, flat, doc.doc))
push_parts!(todo, n, flat, doc::Seq) = foreach(part -> push!(todo, (n, flat, part)), Iterators.reverse(doc.parts))

# Whether a document, laid out flat, and what is behind it up to the next newline have room.
function fits(doc, behind, room)
    todo = Any[(0, true, doc)]
    left = length(behind)
    while room >= 0
        if isempty(todo)
            left == 0 && return true
            push!(todo, behind[left])
            left -= 1
        end
        n, flat, doc = pop!(todo)
        if doc isa Text
            room -= length(doc.s)
        elseif doc isa Newline
            flat || return true
            doc.flat === nothing && return false
            room -= length(doc.flat)
        elseif doc isa Group
            push!(todo, (n, flat, doc.doc))
        else
            push_parts!(todo, n, flat, doc)
        end
    end
    return false
end
