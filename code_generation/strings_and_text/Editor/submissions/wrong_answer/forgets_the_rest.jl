# Counts characters in the text itself, but forgets undo, redo, words and columns.
last_position(editor::Editor) = length(editor.text)

function between(editor::Editor, from, to)
    check_position(editor, from)
    check_position(editor, to)
    return join(collect(editor.text)[(from + 1):to])
end

function substitute!(editor::Editor, position, count, new)
    removed = between(editor, position, position + count)
    editor.text = first(editor.text, position) * new * last(editor.text, length(editor.text) - position - count)
    for (name, mark) in editor.marks
        mark <= position && continue
        editor.marks[name] = mark < position + count ? position : mark + length(new) - count
    end
    editor.cursor = position + length(new)
    return removed
end

function find(editor::Editor, needle, start = 0)
    check_position(editor, start)
    found = findnext(needle, editor.text, nextind(editor.text, 0, start + 1))
    return found === nothing ? nothing : length(editor.text[1:prevind(editor.text, first(found))])
end
