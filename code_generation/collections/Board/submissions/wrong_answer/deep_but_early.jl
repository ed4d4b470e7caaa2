# Deep copies everywhere, but a change that fails stays in the history, and the loop still skips cards.
Board(n::Integer; limit = 10) = Board([Card[] for _ in 1:n], limit, [], [])
remember!(board::Board) = (push!(board.past, deepcopy(board.columns)); empty!(board.future); nothing)
copy_card(card::Card) = deepcopy(card)
cards(board::Board, column) = [(title = card.title, tags = copy(card.tags)) for card in board.columns[column]]
fork(board::Board) = Board(deepcopy(board.columns), board.limit, [], [])
function add_card!(board::Board, column, title, tags = NO_TAGS)
    check_room(board, column)
    remember!(board)
    push!(board.columns[column], Card(title, copy(tags)))
    return board
end
