# Compares a number with a text as strings.
# Numbers as BigInt, texts as String.
function chunks(name)
    runs = eachmatch(r"[0-9]+|[^0-9]+", name)
    return [something(tryparse(BigInt, run.match), lowercase(run.match)) for run in runs]
end

comes_before(x, y) = typeof(x) == typeof(y) ? x < y : string(x) < string(y)

function natural_less(a::AbstractString, b::AbstractString)
    xs, ys = chunks(a), chunks(b)
    for (x, y) in zip(xs, ys)
        comes_before(x, y) && return true
        comes_before(y, x) && return false
    end
    return (length(xs), a) < (length(ys), b)
end
