# Rounds byte indices to the start of a character: no exceptions any more, but still bytes.
function between(editor::Editor, from, to)
    check_position(editor, from)
    check_position(editor, to)
    t = editor.text
    from >= to && return ""
    return t[thisind(t, from + 1):thisind(t, to)]
end

function substitute!(editor::Editor, position, count, new)
    removed = between(editor, position, position + count)
    t = editor.text
    editor.text = between(editor, 0, position) * new * between(editor, position + count, lastindex(t))
    editor.cursor = position + length(new)
    return removed
end
