# Replaces one span after the other from the left, so that later positions are off.
function redact(text::AbstractString, spans; label::AbstractString = "[redacted]")
    chars = collect(text)
    for s in spans
        isempty(s) && continue
        (first(s) < 1 || last(s) > length(chars)) && throw(ArgumentError("outside"))
        splice!(chars, s, collect(label))
    end
    return String(chars)
end
