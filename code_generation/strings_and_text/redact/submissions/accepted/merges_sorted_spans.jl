# Sorts and merges the spans, and joins what lies between them.
function redact(text::AbstractString, spans; label::AbstractString = "[redacted]")
    chars = collect(text)
    wanted = sort([s for s in spans if !isempty(s)]; by = first)
    merged = UnitRange{Int}[]
    for s in wanted
        (first(s) < 1 || last(s) > length(chars)) && throw(ArgumentError("outside"))
        if !isempty(merged) && first(s) <= last(merged[end]) + 1
            merged[end] = first(merged[end]):max(last(merged[end]), last(s))
        else
            push!(merged, first(s):last(s))
        end
    end
    for s in reverse(merged)
        splice!(chars, s, collect(label))
    end
    return String(chars)
end
