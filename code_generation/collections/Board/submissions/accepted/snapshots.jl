# Keeps the structure of the code: checks first, then a deep snapshot, then the change.
Board(n::Integer; limit = 10) = Board(Vector{Card}[Card[] for _ in 1:n], limit, [], [])

cards(board::Board, column) = map(c -> (title = c.title, tags = copy(c.tags)), board.columns[column])

remember!(board::Board) = (push!(board.past, deepcopy(board.columns)); empty!(board.future); nothing)

add_card!(board::Board, column, title) = add_card!(board, column, title, String[])
function add_card!(board::Board, column, title, tags)
    check_room(board, column)
    remember!(board)
    push!(board.columns[column], Card(title, collect(String, tags)))
    return board
end

function move_card!(board::Board, from, position, to)
    checkbounds(board.columns[from], position)
    from == to || check_room(board, to)
    remember!(board)
    push!(board.columns[to], popat!(board.columns[from], position))
    return board
end

function tag!(board::Board, column, position, tag)
    tag in board.columns[column][position].tags && return board
    remember!(board)
    push!(board.columns[column][position].tags, tag)
    return board
end

function rename!(board::Board, column, position, title)
    checkbounds(board.columns[column], position)
    remember!(board)
    board.columns[column][position].title = title
    return board
end

function duplicate!(board::Board, column, position)
    card = board.columns[column][position]
    check_room(board, column)
    remember!(board)
    insert!(board.columns[column], position + 1, deepcopy(card))
    return board
end

function remove_tagged!(board::Board, tag)
    any(card -> tag in card.tags, Iterators.flatten(board.columns)) || return board
    remember!(board)
    for column in board.columns
        filter!(card -> !(tag in card.tags), column)
    end
    return board
end

fork(board::Board) = Board(deepcopy(board.columns), board.limit, [], [])
