# Reads numbers as Int, and those that do not fit as texts.
# Numbers as BigInt, texts as String.
function chunks(name)
    runs = eachmatch(r"[0-9]+|[^0-9]+", name)
    return [something(tryparse(Int, run.match), lowercase(run.match)) for run in runs]
end

comes_before(x, y) = typeof(x) == typeof(y) ? x < y : x isa Int

function natural_less(a::AbstractString, b::AbstractString)
    xs, ys = chunks(a), chunks(b)
    for (x, y) in zip(xs, ys)
        comes_before(x, y) && return true
        comes_before(y, x) && return false
    end
    return (length(xs), a) < (length(ys), b)
end
