# Treats two stars like one.
struct GlobToken
    matches::Function
    repeats::Bool
end

function glob_match(pattern::AbstractString, text::AbstractString)
    tokens = glob_tokens(collect(pattern))
    reached = pass_repeats!([true; falses(length(tokens))], tokens)
    for c in text
        reached = pass_repeats!(consume(reached, tokens, c), tokens)
    end
    return reached[end]
end

# reached[i] says that everything before token i has matched.
function consume(reached, tokens, c)
    next = falses(length(reached))
    for (i, token) in enumerate(tokens)
        if reached[i] && token.matches(c)
            next[token.repeats ? i : i + 1] = true
        end
    end
    return next
end

function pass_repeats!(reached, tokens)
    for (i, token) in enumerate(tokens)
        reached[i + 1] |= token.repeats && reached[i]
    end
    return reached
end

function glob_tokens(chars)
    tokens = GlobToken[]
    while !isempty(chars)
        c = popfirst!(chars)
        if c == '*'
            push!(tokens, star_token(chars))
        elseif c == '?'
            push!(tokens, GlobToken(!=('/'), false))
        elseif c == '['
            push!(tokens, list_token!(chars))
        else
            push!(tokens, GlobToken(==(unescaped!(c, chars)), false))
        end
    end
    return tokens
end

next_is(chars, c) = !isempty(chars) && first(chars) == c

# Of several stars all but the last match anything; what the last one matches adds nothing to that.
function star_token(chars)
    anything = next_is(chars, '*')
    return GlobToken(c -> c != '/', true)
end

function list_token!(chars)
    negated = next_is(chars, '!')
    negated && popfirst!(chars)
    ranges = Pair{Char, Char}[]
    while !next_is(chars, ']')
        push!(ranges, list_range!(chars))
    end
    popfirst!(chars)
    isempty(ranges) && throw(ArgumentError("nothing is listed between the brackets"))
    return GlobToken(c -> c != '/' && negated != any(r -> r.first <= c <= r.second, ranges), false)
end

function list_range!(chars)
    low = high = list_member!(chars)
    if next_is(chars, '-') && length(chars) > 1 && chars[2] != ']'
        popfirst!(chars)
        high = list_member!(chars)
    end
    low <= high || throw(ArgumentError("the range $low-$high is empty"))
    return low => high
end

function list_member!(chars)
    isempty(chars) && throw(ArgumentError("the brackets are not closed"))
    return unescaped!(popfirst!(chars), chars)
end

function unescaped!(c, chars)
    c == '\\' || return c
    isempty(chars) && throw(ArgumentError("the pattern ends with a backslash"))
    return popfirst!(chars)
end
