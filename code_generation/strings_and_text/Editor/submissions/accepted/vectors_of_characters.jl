# Works on vectors of characters; only the result is a string again.
chars(editor::Editor) = collect(editor.text)
last_position(editor::Editor) = length(chars(editor))

function between(editor::Editor, from, to)
    check_position(editor, from)
    check_position(editor, to)
    return String(chars(editor)[(from + 1):to])
end

function substitute!(editor::Editor, position, count, new)
    removed = between(editor, position, position + count)
    all = chars(editor)
    editor.text = string(String(all[1:position]), new, String(all[(position + count + 1):end]))
    for name in collect(keys(editor.marks))
        mark = editor.marks[name]
        if mark > position
            editor.marks[name] = max(position, mark >= position + count ? mark - count + length(new) : position)
        end
    end
    editor.cursor = position + length(new)
    return removed
end

function find(editor::Editor, needle, start = 0)
    check_position(editor, start)
    all, wanted = chars(editor), collect(needle)
    for position in start:(length(all) - length(wanted))
        all[(position + 1):(position + length(wanted))] == wanted && return position
    end
    return nothing
end

function replace_all!(editor::Editor, old, new)
    isempty(old) && throw(ArgumentError("nothing to search for"))
    number = 0
    position = find(editor, old)
    while position !== nothing
        replace_at!(editor, position, length(old), new)
        number += 1
        position = find(editor, old, editor.cursor)
    end
    return number
end

function line_and_column(editor::Editor, position = editor.cursor)
    line, column = 1, 1
    for c in between(editor, 0, position)
        line, column = c == '\n' ? (line + 1, 1) : (line, column + 1)
    end
    return line, column
end

function words(editor::Editor)
    found = Pair{Int,String}[]
    for m in eachmatch(r"[\p{L}\p{N}]+", editor.text)
        push!(found, length(SubString(editor.text, 1, prevind(editor.text, m.offset))) => m.match)
    end
    return found
end

undo!(editor::Editor) = step!(editor, editor.done, editor.undone, edit -> (edit.inserted, edit.removed))
redo!(editor::Editor) = step!(editor, editor.undone, editor.done, edit -> (edit.removed, edit.inserted))

function step!(editor, from, to, sides)
    isempty(from) && return false
    edit = pop!(from)
    old, new = sides(edit)
    substitute!(editor, edit.position, length(old), new)
    push!(to, edit)
    return true
end
