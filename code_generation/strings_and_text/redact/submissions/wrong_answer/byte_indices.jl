# Uses the numbers as byte indices.
function redact(text::AbstractString, spans; label::AbstractString = "[redacted]")
    merged = UnitRange{Int}[]
    for s in sort(filter(!isempty, spans); by = first)
        (first(s) < 1 || last(s) > lastindex(text)) && throw(ArgumentError("outside"))
        if !isempty(merged) && first(s) <= last(merged[end]) + 1
            merged[end] = first(merged[end]):max(last(merged[end]), last(s))
        else
            push!(merged, s)
        end
    end
    result = String(text)
    for s in reverse(merged)
        result = result[1:first(s)-1] * label * result[last(s)+1:end]
    end
    return result
end
