# Reads the pattern while it matches, so it sees a bad place only if the text gets there.
function glob_match(pattern::AbstractString, text::AbstractString)
    p, t = collect(pattern), collect(text)
    memo = Dict{Tuple{Int, Int}, Bool}()
    bad() = throw(ArgumentError("bad pattern"))
    function go(i, j)
        get!(memo, (i, j)) do
            i > length(p) && return j > length(t)
            c = p[i]
            if c == '*'
                k = i
                while k < length(p) && p[k + 1] == '*'
                    k += 1
                end
                return go(k + 1, j) || (j <= length(t) && (k > i || t[j] != '/') && go(i, j + 1))
            end
            j > length(t) && return false
            c == '?' && return t[j] != '/' && go(i + 1, j + 1)
            if c == '\\'
                i < length(p) || bad()
                return p[i + 1] == t[j] && go(i + 2, j + 1)
            end
            c == '[' || return c == t[j] && go(i + 1, j + 1)
            k = i + 1
            negated = k <= length(p) && p[k] == '!'
            negated && (k += 1)
            found, items = false, 0
            while true
                k <= length(p) || bad()
                p[k] == ']' && break
                p[k] == '\\' && (k += 1)
                k <= length(p) || bad()
                low = high = p[k]
                if k + 2 <= length(p) && p[k + 1] == '-' && p[k + 2] != ']'
                    k += 2
                    p[k] == '\\' && (k += 1)
                    k <= length(p) || bad()
                    high = p[k]
                end
                low <= high || bad()
                found |= low <= t[j] <= high
                items += 1
                k += 1
            end
            items > 0 || bad()
            return t[j] != '/' && found != negated && go(k + 1, j + 1)
        end
    end
    return go(1, 1)
end
