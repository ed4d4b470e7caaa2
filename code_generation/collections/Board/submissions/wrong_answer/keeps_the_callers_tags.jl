# Repairs all but the tags that come from a caller.
Board(n::Integer; limit = 10) = Board([Card[] for _ in 1:n], limit, [], [])
copy_card(card::Card) = Card(card.title, copy(card.tags))
cards(board::Board, column) = [(title = card.title, tags = copy(card.tags)) for card in board.columns[column]]
function change!(f, board::Board)
    columns = deepcopy(board.columns)
    f(columns) === false && return board
    push!(board.past, board.columns)
    empty!(board.future)
    board.columns = columns
    return board
end
add_card!(board::Board, column, title, tags = String[]) =
    change!(c -> (check_room(board, column); push!(c[column], Card(title, tags))), board)
move_card!(board::Board, from, position, to) = change!(board) do c
    card = splice!(c[from], position)
    from == to || check_room(board, to)
    push!(c[to], card)
end
tag!(board::Board, column, position, tag) =
    change!(c -> (t = c[column][position].tags; tag in t ? false : push!(t, tag)), board)
rename!(board::Board, column, position, title) = change!(c -> c[column][position].title = title, board)
duplicate!(board::Board, column, position) = change!(board) do c
    card = c[column][position]
    check_room(board, column)
    insert!(c[column], position + 1, copy_card(card))
end
remove_tagged!(board::Board, tag) = change!(board) do c
    n = sum(length.(c))
    foreach(x -> filter!(card -> !(tag in card.tags), x), c)
    sum(length.(c)) < n
end
fork(board::Board) = Board(deepcopy(board.columns), board.limit, [], [])
