# When it merges spans, the end of the later one wins, even if it lies inside the other.
function redact(text::AbstractString, spans; label::AbstractString = "[redacted]")
    chars = collect(text)
    merged = UnitRange{Int}[]
    for s in sort(filter(!isempty, spans); by = first)
        (first(s) < 1 || last(s) > length(chars)) && throw(ArgumentError("outside"))
        if !isempty(merged) && first(s) <= last(merged[end]) + 1
            merged[end] = first(merged[end]):last(s)
        else
            push!(merged, s)
        end
    end
    for s in reverse(merged)
        splice!(chars, s, collect(label))
    end
    return String(chars)
end
