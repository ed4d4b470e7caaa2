# Reads any number from 2 to 14 as a rank, so 11♥ and 02♥ are cards.
const SUITS = "♣♦♥♠"
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]

struct Card
    rank::Int
    suit::Char

    function Card(rank::Integer, suit::Char)
        2 <= rank <= 14 || throw(ArgumentError("there is no rank $rank"))
        suit in SUITS || throw(ArgumentError("there is no suit $suit"))
        return new(rank, suit)
    end
end

Base.show(io::IO, card::Card) = print(io, RANKS[card.rank - 1], card.suit)

function Base.parse(::Type{Card}, text::AbstractString)
    isempty(text) && throw(ArgumentError("not a card: empty text"))
    place = findfirst(==(chop(text)), RANKS)
    rank = place === nothing ? tryparse(Int, chop(text)) : place + 1
    rank === nothing && throw(ArgumentError("not a card: $(repr(text))"))
    return Card(rank, last(text))
end

sort_key(card::Card) = (card.rank, findfirst(==(card.suit), SUITS))
Base.isless(a::Card, b::Card) = sort_key(a) < sort_key(b)
