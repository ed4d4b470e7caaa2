# Measures each document once, flat and up to its first line, and lays it out recursively.
struct Doc
    kind::Symbol
    s::String
    n::Int
    parts::Vector{Doc}
    flat::Float64         # length laid out flat, Inf if it cannot be
    lead::Int             # length up to the first newline that could be
    breakable::Bool       # whether there is one
end
text(s::AbstractString) = Doc(:text, String(s), 0, Doc[], length(s), length(s), false)
line() = Doc(:line, " ", 0, Doc[], 1, 0, true)
softline() = Doc(:line, "", 0, Doc[], 0, 0, true)
hardline() = Doc(:hard, "", 0, Doc[], Inf, 0, true)
function seq(docs...)
    lead, breakable = 0, false
    for d in docs
        lead += d.lead
        d.breakable && (breakable = true; break)
    end
    flat = 0.0
    for d in docs
        flat += d.flat
    end
    return Doc(:seq, "", 0, Doc[docs...], flat, lead, breakable)
end
nest(n::Integer, d) = Doc(:nest, "", n, Doc[d], d.flat, d.lead, d.breakable)
group(d) = Doc(:group, "", 0, Doc[d], d.flat, d.lead, d.breakable)

mutable struct Printer
    out::Vector{String}
    column::Int
    pending::Int
    width::Int
end
function put!(p::Printer, s)
    isempty(s) && return
    push!(p.out, " "^p.pending, s)
    p.pending = 0
    p.column += length(s)
end
# `after`: how many characters follow the document up to the next newline that could be.
function show_doc(p, d, indent, flat, after)
    if d.kind == :text || d.kind == :line && flat
        put!(p, d.s)
    elseif d.kind == :line || d.kind == :hard
        push!(p.out, "\n")
        p.column = p.pending = indent
    elseif d.kind == :nest
        show_doc(p, d.parts[1], indent + d.n, flat, after)
    elseif d.kind == :group
        show_doc(p, d.parts[1], indent, flat || p.column + d.flat + after <= p.width, after)
    else
        afters = Int[]
        for part in reverse(d.parts)
            push!(afters, after)
            after = part.breakable ? part.lead : part.lead + after
        end
        for (part, a) in zip(d.parts, reverse(afters))
            show_doc(p, part, indent, flat, a)
        end
    end
    nothing
end
function render(doc, width::Integer)
    p = Printer(String[], 0, 0, width)
    show_doc(p, doc, 0, false, 0)
    return join(p.out)
end
