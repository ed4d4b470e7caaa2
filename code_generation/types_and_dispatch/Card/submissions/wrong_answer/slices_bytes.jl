# Cuts the text with byte arithmetic: the suit takes three bytes.
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
    length(text) < 2 && throw(ArgumentError("not a card: $(repr(text))"))
    place = findfirst(==(text[1:sizeof(text)-1]), RANKS)
    place === nothing && throw(ArgumentError("not a card: $(repr(text))"))
    return Card(place + 1, text[sizeof(text)])
end

sort_key(card::Card) = (card.rank, findfirst(==(card.suit), SUITS))
Base.isless(a::Card, b::Card) = sort_key(a) < sort_key(b)
