# Each pair is put in order, lazily; the first that differs decides.
# Needs: Julia 1.8
chunk(text) = isdigit(first(text)) ? (0, parse(BigInt, text), "") : (1, big(0), lowercase(text))
chunks(name) = [chunk(part.match) for part in eachmatch(r"[0-9]+|[^0-9]+", name)]

function natural_less(a::AbstractString, b::AbstractString)
    left, right = chunks(a), chunks(b)
    first_pairs = Iterators.map(minmax, left, right)
    for (pair, x) in zip(first_pairs, left)
        allequal(pair) || return x == first(pair)
    end
    (length(left), a) < (length(right), b)
end
