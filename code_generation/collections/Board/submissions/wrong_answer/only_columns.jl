# Separate columns and copies of the vectors, but the cards are still shared with the history.
Board(n::Integer; limit = 10) = Board([Card[] for _ in 1:n], limit, [], [])
remember!(board::Board) = (push!(board.past, map(copy, board.columns)); empty!(board.future); nothing)
copy_card(card::Card) = Card(card.title, copy(card.tags))
cards(board::Board, column) = [(title = card.title, tags = copy(card.tags)) for card in board.columns[column]]
fork(board::Board) = Board(map(copy, board.columns), board.limit, [], [])
function add_card!(board::Board, column, title, tags = NO_TAGS)
    check_room(board, column)
    remember!(board)
    push!(board.columns[column], Card(title, copy(tags)))
    return board
end
