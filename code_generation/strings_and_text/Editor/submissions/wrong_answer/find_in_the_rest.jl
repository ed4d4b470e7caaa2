# Searches in the text behind the start, and adds the start to a byte index.
last_position(editor::Editor) = length(editor.text)

function between(editor::Editor, from, to)
    check_position(editor, from)
    check_position(editor, to)
    return String(collect(editor.text)[(from + 1):to])
end

function substitute!(editor::Editor, position, count, new)
    removed = between(editor, position, position + count)
    all = collect(editor.text)
    editor.text = String(all[1:position]) * new * String(all[(position + count + 1):end])
    for (name, mark) in editor.marks
        mark <= position && continue
        editor.marks[name] = mark < position + count ? position : mark + length(new) - count
    end
    editor.cursor = position + length(new)
    return removed
end

function find(editor::Editor, needle, start = 0)
    found = findfirst(needle, between(editor, start, last_position(editor)))
    return found === nothing ? nothing : start + first(found) - 1
end

function replace_all!(editor::Editor, old, new)
    isempty(old) && throw(ArgumentError("nothing to search for"))
    number, start = 0, 0
    while (position = find(editor, old, start)) !== nothing
        replace_at!(editor, position, length(old), new)
        start = position + length(new)
        number += 1
    end
    return number
end
