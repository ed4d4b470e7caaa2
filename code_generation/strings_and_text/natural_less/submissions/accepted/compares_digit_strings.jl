# Walks both names at once, and compares numbers as strings of digits without leading zeros.
function next_chunk(chars, i)
    j = i
    while j < length(chars) && isdigit(chars[j + 1]) == isdigit(chars[i])
        j += 1
    end
    return chars[i:j], j + 1
end
function order(x, y)
    isdigit(x[1]) == isdigit(y[1]) || return isdigit(x[1]) ? -1 : 1
    isdigit(x[1]) || return cmp(lowercase(String(x)), lowercase(String(y)))
    p = lstrip(String(x), '0'); q = lstrip(String(y), '0')
    return length(p) == length(q) ? cmp(p, q) : cmp(length(p), length(q))
end
function natural_less(a::AbstractString, b::AbstractString)
    s, t = collect(a), collect(b)
    i = j = 1
    while i <= length(s) && j <= length(t)
        x, i = next_chunk(s, i)
        y, j = next_chunk(t, j)
        o = order(x, y)
        o == 0 || return o < 0
    end
    i > length(s) && j > length(t) && return a < b
    return i > length(s)
end
