# Complains about an empty range outside the text.
function redact(text::AbstractString, spans; label::AbstractString = "[redacted]")
    hidden = falses(length(text))
    for span in spans
        (first(span) >= 1 && last(span) <= length(hidden)) || throw(ArgumentError("$span reaches outside the text"))
        hidden[span] .= true
    end
    return sprint() do io
        after_hidden = false
        for (c, is_hidden) in zip(text, hidden)
            is_hidden || print(io, c)
            is_hidden && !after_hidden && print(io, label)
            after_hidden = is_hidden
        end
    end
end
