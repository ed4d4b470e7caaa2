# Reads with a table of all 52 texts, and compares with a chain of conditions.
struct Card
    rank::Int
    suit::Char
    Card(rank::Integer, suit::Char) =
        (2 <= rank <= 14 && suit in ('♣', '♦', '♥', '♠')) ? new(rank, suit) : throw(ArgumentError("no such card"))
end
const LETTERS = Dict(11 => "J", 12 => "Q", 13 => "K", 14 => "A")
import Base: show, parse, isless
show(io::IO, c::Card) = print(io, get(LETTERS, c.rank, string(c.rank)), c.suit)
const ALL_CARDS = Dict(string(Card(r, s)) => Card(r, s) for r in 2:14, s in "♣♦♥♠")
function parse(::Type{Card}, text::AbstractString)
    haskey(ALL_CARDS, text) || throw(ArgumentError("no card: $text"))
    return ALL_CARDS[text]
end
height(s::Char) = s == '♣' ? 1 : s == '♦' ? 2 : s == '♥' ? 3 : 4
function isless(a::Card, b::Card)
    a.rank == b.rank || return a.rank < b.rank
    return height(a.suit) < height(b.suit)
end
